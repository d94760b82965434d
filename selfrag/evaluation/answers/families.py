"""Which family a model belongs to, told from its name: models favour what their own kind wrote.

Panickssery, Bowman and Feng 2024, "LLM Evaluators Recognize and Favor Their Own Generations"
(arXiv:2404.13076). A name is all that an endpoint tells, so this is a guess, and a fine-tuned
model under a name of its own is not recognised.
"""

import re

_LEADING = re.compile(r"[a-z]+")
#: Names under which one maker's models go.
_SAME = {
    **dict.fromkeys(("gpt", "chatgpt", "o", "davinci"), "GPT"),
    **dict.fromkeys(("gemini", "gemma"), "Gemini"),
    **dict.fromkeys(("llama", "meta", "codellama"), "Llama"),
    **dict.fromkeys(
        ("mistral", "mixtral", "ministral", "codestral", "magistral", "devstral", "pixtral"),
        "Mistral",
    ),
    **dict.fromkeys(("qwen", "qwq", "codeqwen"), "Qwen"),
    "claude": "Claude",
    "deepseek": "DeepSeek",
    "phi": "Phi",
    "granite": "Granite",
    "command": "Command",
}


def family(model: str) -> str:
    """``GPT`` for ``openai/gpt-4.1-mini`` and ``o3``; the name's first letters where not known.

    >>> family("openai/gpt-4.1-mini"), family("o3-mini"), family("meta-llama/Llama-3.1-8B")
    ('GPT', 'GPT', 'Llama')
    """
    name = model.rpartition("/")[2].casefold()
    leading = _LEADING.match(name)
    first = leading[0] if leading else name
    return _SAME.get(first, first)

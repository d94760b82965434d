"""Which settings a chat model's name, address and key come from: errors name those to change."""

from dataclasses import dataclass

NAMED_BY = "named_by"  #: in a model's metadata


def key_variable(base_url: str | None) -> str:
    """The environment variable that holds the key for ``base_url``."""
    return "OPENROUTER_API_KEY" if base_url and "openrouter.ai" in base_url else "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class NamedBy:
    """The settings of a model.

    Attributes:
        model: its name.
        grader: its name, where it is asked to grade.
        address: its endpoint.
        key: the endpoint's key; that of the runs for this endpoint where empty.
        without: what can be done without it, after "Start the server, or correct ...; ".
    """

    model: str = "CHAT_MODEL or JUDGE_MODEL"
    grader: str = "JUDGE_MODEL"
    address: str = "LLM_BASE_URL"
    key: str = ""
    without: str = "without a network, unset it to have sentences quoted instead"

    def key_for(self, base_url: str | None) -> str:
        """The variable to put a key for ``base_url`` into."""
        return self.key or key_variable(base_url)


#: A model of the runs.
RUNS = NamedBy()

"""A key that a person entered for themselves: for one tab, kept nowhere but in its memory."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from selfrag.errors import UserError
from selfrag.settings import Settings

_LONGEST = 2_000  #: characters of a key, an address or a name


@dataclass(frozen=True, slots=True)
class OwnKey:
    """Where to ask, with what key, for which models.

    Attributes:
        key: shown as asterisks wherever this is printed; empty where the endpoint needs none.
        base_url: API address; None is OpenAI itself.
        writer, judge: names of the models; the endpoint's usual one, and the writer, where None.
    """

    key: SecretStr
    base_url: str | None = None
    writer: str | None = None
    judge: str | None = None

    @classmethod
    def entered(cls, key: str, base_url: str = "", writer: str = "", judge: str = "") -> "OwnKey":
        """From what was typed.

        Raises:
            UserError: there is neither key nor address, or one of them can't be one.
        """
        key, base_url = key.strip(), base_url.strip().rstrip("/")
        writer, judge = " ".join(writer.split()), " ".join(judge.split())
        if not key and not base_url:
            raise UserError("Enter a key, or the address of an endpoint that needs none.")
        if max(map(len, (key, base_url, writer, judge))) > _LONGEST:
            raise UserError("That is too long for a key, an address or a model. Copy it again.")
        if not key.isascii() or len(key.split()) > 1 or not key.isprintable():
            raise UserError("The key holds characters that no key has. Copy it again.")
        if base_url:
            _check_address(base_url)
        return cls(SecretStr(key), base_url or None, writer or None, judge or None)

    def applied(self, settings: Settings) -> Settings:
        """These settings with this key, endpoint and models, for writer and judge alike."""
        return settings.model_copy(
            update={
                "openai_api_key": self.key if self.key.get_secret_value() else None,
                "openrouter_api_key": None,
                # Where to, is always said: an address in the settings is not meant for this key.
                "llm_base_url": self.base_url or "https://api.openai.com/v1",
                "local_model": None,
                "chat_model": self.writer,
                "judge_model": self.judge,
                "writer": "chat",
                "judge": "chat",
            }
        )


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or not address.isprintable():
        raise UserError(
            "The address must begin with https:// or http://, as in https://api.openai.com/v1."
        )
    # An address is shown and told in errors; what is secret in it would be as well.
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UserError(
            "The address must hold no name, password or key: those belong into the key's field. "
            "Take out what stands before @ or after ?."
        )

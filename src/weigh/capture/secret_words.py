"""Words that say that a secret stands near: in names, keywords, comments, keys of documents and texts.

Three lists. A *telling* word means it wherever it stands, also inside another word (``db_password_old``). An
*ambiguous* one is looked for as a whole word of a name (``userPin``, ``login_at``; not ``pinned``, ``author``), and
inside a value only where it names something: as the key of what follows (``pin=1234``, ``"pin": 1234``), or as the
whole value. A *service* is one that gives keys out: what stands next to its name may be one (``'stripe', '...'``); it
is looked for as an ambiguous word, and in short phrases besides (``Stripe live``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# fmt: off
_TELLING = (
    r"passw", r"pass_?(?:phrase|code|key|hash|salt)", r"(?:user|db|my|admin|root|smtp|old|new)pass", r"passord",
    r"pswd", r"pwd", r"pword", r"pwrd",
    r"(?:bind|root|db|user|usr|admin|my|smtp|ldap|mail|ftp)_?pw(?![a-z])", r"pw_?reset",
    r"(?:account|routing|bank)_?(?:number|num|no)(?![a-z])", r"secret", r"credential", r"(?<![a-z])creds",
    r"token(?!i[sz])", r"jwt", r"bearer", r"oauth",
    r"authenticat", r"authoris", r"authoriz", r"crypt(?!o(?!gr))", r"cipher", r"hmac", r"pbkdf", r"argon2", r"keystore",
    r"(?<![a-z])vault", r"(?:rotate|unseal)_?keys?(?![a-z])",
    r"keytab", r"htpasswd", r"pgpass", r"mnemonic", r"(?:seed|recovery|backup)_?(?:phrase|words)",
    r"(?:verify|validate|check)_?(?:user|account|customer|member|client)(?![a-z])",
    r"(?:api|app|access|private|priv|encryption|decryption|enc|signing|sign|master|ssh|auth|licen[cs]e|activation|aes|"
    r"rsa|shared|client|service|account|storage|deploy|webhook|wallet|recovery|consumer|vault|kms|admin|sas|"
    r"geheim|privat)[\s_-]*(?:key|schluessel|schlussel)",
    r"(?:cle|clave|chave|chiave)_?(?:api|privee|secrete|privada|secreta|privata|segreta)",
    r"(?:reset|verif[a-z]*|confirm[a-z]*|activation|security|recovery|backup|invit[a-z]*|access|auth|one_?time|sms|magic"
    r"|unlock|unseal|pairing|device|enrol[a-z]*|voucher|redeem|gift|oauth|login|signin)"
    r"[\s_-]*(?:code|answer|question|link)", r"web_?hook", r"service_?account", r"json_?web_?key", r"jwk",
    r"conn(?:ection)?_?(?:str(?:ing)?|info|uri|url)(?![a-z])", r"dblink", r"identified\s+(?:by|with)",
    r"social_?security", r"(?:credit|debit|payment)_?card", r"card_?(?:number|num|no|code|holder)(?![a-z])",
    # Functions of ClickHouse and DuckDB that read elsewhere, as whom and by what.
    r"(?<![a-z_])(?:my_?sql|maria_?db|postgre_?sql|mongo_?db|remote(?:_?secure)?|redis|jdbc|odbc|hdfs|cosn|oss|hudi|"
    r"delta_?lake|iceberg(?:_?s3)?|azure_?blob_?storage)(?:_?cluster)?\s*\(",
    r"(?:my_?sql|postgres)_(?:scan|query|attach)",
    # Other languages.
    r"kennwort", r"losungswort", r"geheim", r"zugangs(?:daten|code)", r"contrasena", r"palabra_?clave",
    r"mots?_?de_?passe", r"senha", r"palavra_?(?:passe|chave)", r"wachtwoord", r"losenord", r"adgangskode", r"kodeord",
    r"salasana", r"tunnussana", r"jelszo", r"lozinka", r"mat_?khau", r"segret[oai]", r"segredo", r"kata_?sandi",
    r"парол", r"секрет", r"токен", r"κωδικ", r"密码", r"密碼", r"口令", r"密钥", r"密鑰", r"パスワード", r"暗証",
    r"비밀번호", r"암호", r"รหัสผ่าน", r"पासवर्ड", r"كلمة\s*(?:المرور|السر)", r"סיסמ",
)
_AMBIGUOUS = (
    r"pass", r"pw", r"upw", r"psw", r"pins?", r"pin_?(?:code|number|no|hash)", r"[th]?otps?", r"mfa", r"2fa", r"tfa",
    r"auth[nz]?", r"(?:log|sign)[-_]?in(?:s|_?id)?", r"logon", r"cookies?",
    r"(?:\w*(?<!ob)(?<!pos))sessions?(?:id)?", r"\w*sess(?:id)?", r"sid", r"puk", r"salt(?:s|ed)?", r"hash(?:es|ed)?",
    r"\w*pw_?hash", r"sha_?(?:1|2|3|224|256|384|512)", r"md[45]", r"digest(?=\s*\()", r"signatures?", r"sig",
    r"nonces?", r"[cx]srf", r"(?:\w*_)?verifier", r"(?:\w*_)?challenge", r"pkce", r"pats?",
    r"sas(?:_?(?:url|uri|sig))?", r"pgp", r"gpg", r"dsn", r"connection", r"cv[vcn]2?", r"ssn", r"iban", r"pem", r"pfx",
    r"p12", r"(?:magic|refresh)(?=:)",
    r"mdp", r"clave", r"parola", r"parol", r"haslo", r"heslo", r"geslo", r"sifre", r"jeton", r"sandi",
)
_SERVICES = (
    r"stripe", r"twilio", r"send_?grid", r"mail_?gun", r"mail_?chimp", r"postmark", r"slack", r"discord", r"telegram",
    r"git_?hub", r"git_?lab", r"bit_?bucket", r"aws", r"amazon_?aws", r"azure", r"gcp", r"gcs", r"s3", r"cloudflare",
    r"heroku", r"digital_?ocean", r"vercel", r"netlify", r"open_?ai", r"anthropic", r"hugging_?face", r"pay_?pal",
    r"brain_?tree", r"adyen", r"plaid", r"klarna", r"coinbase", r"shopify", r"okta", r"auth0", r"firebase", r"supabase",
    r"algolia", r"sentry", r"data_?dog", r"new_?relic", r"pager_?duty", r"rollbar", r"mapbox", r"hub_?spot",
    r"sales_?force", r"zendesk", r"intercom", r"docker_?hub", r"npmrc?", r"pypi(?:rc)?", r"re_?captcha", r"h_?captcha",
    r"smtp", r"imap", r"ldap", r"s?ftp", r"ssh", r"netrc", r"dotenv", r"otps?", r"[2mt]fa", r"dsn", r"pem", r"pfx",
    r"p12", r"pkcs_?\d+", r"x_?509", r"pgp", r"gpg", r"kms", r"hsm",
)
_LONE = (
    r"[sp]k", r"(?:private|public|live|test|prod)?[\s_-]*keys?", r"sign(?:ing|er)", r"licen[cs]es?",
    r"cert(?:ificate)?s?", r"tls", r"ssl", r"api", r"wallet", r"recovery", r"seed", r"resets?",
)
"""What names a secret only where it is all of a value: ``VALUES ('sk', '...')``."""
_WEAK = (
    r"private", r"basic", r"(?<!primary_)(?<!foreign_)(?<!unique_)(?<!sort_)(?<!partition_)(?<!cache_)key",
    r"sign(?:ing|er)", r"licen[cs]e", r"cert(?:ificate)?", r"tls", r"ssl", r"wallet", r"recovery", r"seed",
)
"""What names a secret only where a value of the same call has the form of one."""
# fmt: on


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LETTERS = str.maketrans({"ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "ı": "i"})
"""Those that Unicode does not take apart."""


# fmt: off
_ALIKE = str.maketrans(
    {
        "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ғ": "f", "һ": "h", "н": "h", "і": "i", "ј": "j", "к": "k",
        "ӏ": "l", "м": "m", "п": "n", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w",
        "ш": "w", "х": "x", "у": "y",
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "σ": "s", "ς": "s",
        "τ": "t", "υ": "u", "χ": "x", "ω": "w", "ϲ": "c", "ϳ": "j",
        "օ": "o", "ս": "u", "ո": "n", "հ": "h", "ց": "g", "յ": "j", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ʋ": "v", "ᴀ": "a",
        "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k", "ʟ": "l", "ᴍ": "m",
        "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w", "ʏ": "y", "ᴢ": "z",
    }
)
# fmt: on
"""Small letters that look like those of ASCII."""
_UNSEEN = frozenset(("Mn", "Me", "Cf"))
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def normal(text: str) -> str:
    """In small letters without accents, look-alikes and what has no width, with a line between parts (``userPin``)."""
    text = _CAMEL.sub("_", text)
    if text.isascii():
        return text.casefold()
    parts = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(one for one in parts if unicodedata.category(one) not in _UNSEEN and one not in _FILLERS)
    return bare.casefold().translate(_ALIKE)


_WORDS = "|".join(_AMBIGUOUS + _SERVICES)
_JOINED = re.compile("|".join(map(normal, _TELLING)))
_NAMED = re.compile(rf"(?<![a-z])(?:{_WORDS})s?(?![a-z])")
_NEAR = rf"(?<![a-z])(?:{'|'.join(_SERVICES)}|[sp]k)(?![a-z])"
_KEY = re.compile(
    rf"(?<![a-z])(?:{_WORDS})s?(?![a-z])[\w.-]*[\"'\]\\]*\s*[:=>]|"
    rf"[\"'`][\w./:-]*(?<![a-z])(?:{_WORDS})s?(?![a-z])[\w./:-]*[\"'`]|"
    rf"[?&#](?:code|ticket|assertion)=|"
    rf"[\"'`>](?:[^\"'`<>]{{0,40}}{_NEAR}[^\"'`<>]{{0,40}}[\"'`<]|(?:sign(?:ing|er)|licen[cs]e|cert(?:ificate)?|tls|ssl|key)[\"'`<](?!\s*:))"
)
"""As the key of what follows, or in quotes inside a text."""
_WHOLE = re.compile(r"[\w.:/,;|{}$*\[\]-]{1,64}")
"""A name, a path or a key, as a value of its own."""
_PHRASE = re.compile(r"\S{1,64}(?:\s\S{1,64}){1,2}")
_SERVICE = re.compile(
    rf"{_NEAR}|(?<![a-z])(?:my|your|his|her|our|new|old|card|atm|sim|user|door|bank|account|wifi|alarm)[\s_]"
    r"(?:pins?|pass|login|hash|codes?|salt)(?![a-z])"
)
_NEARLY = re.compile(rf"(?<![a-z])(?:{'|'.join(_WEAK)})s?(?![a-z])")
_RUN = re.compile(r"[\w+-]{8,}")
_KNOWN = re.compile(r"(?:[0-9a-f]{4,12}-){2}|\d{4}-\d\d-\d\d", re.IGNORECASE)
"""How UUIDs and times begin."""
_LETTER, _DIGIT = re.compile(r"[a-z]", re.IGNORECASE), re.compile(r"\d")
_ALONE = re.compile("|".join(_LONE))
_SPOKEN = re.compile(
    rf"(?<![a-z])(?:code|key|private|basic|{_WORDS})(?![a-z])[\w.-]{{0,30}}[\s\W]{{0,3}}(?:(?:is|was|ist|est|es|no|number|nr)(?![a-z]))?[\s\W]{{0,3}}"
    r"(?=[a-z_]{0,20}\d)(?:\d{3,}|\w{8,})"
)
"""As messages say it: ``your code is 123456``."""
_LONGEST = 200_000
"""Characters of a statement around its values that are looked at; a longer one may hold anything."""
_KEYWORDS = re.compile(
    r"\b(?:set|show|reset|alter|discard)\s+(?:session|global\s+session)\b|@@session|\bsession_user\b|"
    r"\bsession_replication_role\b|\bidle_\w*session_timeout\b|\bsession\s+(?:status|variables|characteristics)\b",
    re.IGNORECASE,
)
"""Where the language says *session*, and means no name."""
_CLAUSES = re.compile(r"\b(?:duplicate|primary|foreign|unique|no)\s+key\b", re.IGNORECASE)
"""Where the language says *key*, and means no name."""
_ASSIGNS = re.compile(r":=|\bset\s+@(?!@)|\binto\s+@|\busing\s+@|\b(?:en|de)code\s*\(", re.IGNORECASE)
"""Variables of MySQL: what is in them may be a secret of a statement that comes later; and its functions of a key."""

_CODES = re.compile(r"\b(?:en|de)code\s*\(", re.IGNORECASE)
_FORMATS = re.compile(
    r"[a-z]?'(?:hex|escape|base(?:16|32|58|64)|us-?ascii|latin-?[19]|utf-?\d+(?:[bl]e)?|iso-?8859-?\d+|windows-?\d+)'",
    re.IGNORECASE,
)
"""What is no key of ``encode`` and ``decode``: in MySQL they take one, and in a log of others somebody may try it."""


def in_code(pieces: Sequence[str], values: Sequence[str | None]) -> bool:
    """Whether one of two arguments of ``encode`` or ``decode`` is a value that may be a key.

    Args:
        pieces: a statement around its values.
        values: as they stand there; None for NULL.
    """
    text = "\0".join(pieces)
    for call in _CODES.finditer(text):
        second = _second(text, call.end())
        if "\0" not in second[1]:
            continue
        value = values[text.count("\0", 0, second[0])] if second[1].strip() == "\0" else None
        if value is None or not _FORMATS.fullmatch(value if "'" in value else f"'{value}'"):
            return True
    return False


def _second(text: str, start: int) -> tuple[int, str]:
    """The last one of two arguments of a call, and where it begins; nothing of another number of them."""
    depth, commas = 1, []
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 1 and text[at] == ",":
            commas.append(at + 1)
        if depth == 0:
            return (commas[0], text[commas[0] : at]) if len(commas) == 1 else (at, "")
    return (commas[0], text[commas[0] :]) if commas else (len(text), "")


def in_statement(text: str, *, variables: bool = False) -> bool:
    """Whether a word of a secret stands anywhere in the text of a statement, comments and all.

    Args:
        text: of it.
        variables: whether it may set variables, as MySQL's may.
    """
    if len(text) > _LONGEST:
        return True
    if variables and _ASSIGNS.search(text):
        return True
    bare = normal(_KEYWORDS.sub(" ", text))
    # An underline between the parts of a name may hide a word that goes over it: passWord.
    return _found(bare) or ("_" in bare and _JOINED.search(bare.replace("_", "")) is not None)


@lru_cache(maxsize=16_384)
def _short(value: str) -> bool:
    return _of_value(value)


def in_value(value: str) -> bool:
    """Whether a value holds or is a word that names a secret."""
    if value.isdigit():
        return False
    return _short(value) if len(value) <= 64 else _of_value(value)


def _of_value(value: str) -> bool:
    bare = normal(value)
    if _JOINED.search(bare) or _KEY.search(bare) or _SPOKEN.search(bare):
        return True
    content = bare.strip("'\"$ ")
    if _WHOLE.fullmatch(content) and (_NAMED.search(content) or _SERVICE.search(content) or _ALONE.fullmatch(content)):
        return True
    return _PHRASE.fullmatch(content) is not None and _SERVICE.search(content) is not None


def _found(bare: str) -> bool:
    return _JOINED.search(bare) is not None or _NAMED.search(bare) is not None


def weak_in_statement(text: str) -> bool:
    """Whether a word that names a secret only next to one stands in the text of a statement."""
    return len(text) <= _LONGEST and _NEARLY.search(normal(_CLAUSES.sub(" ", text))) is not None


def weak_in_value(value: str) -> bool:
    """The same of a value."""
    return _NEARLY.search(normal(value)) is not None


def is_made_up(value: str) -> bool:
    """Whether a value holds letters and digits in one run, as a secret does that somebody made up."""
    runs = (run[0] for run in _RUN.finditer(value))
    return any(_LETTER.search(one) and _DIGIT.search(one) and not _KNOWN.match(one) for one in runs)

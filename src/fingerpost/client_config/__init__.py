"""Put the MCP servers of a client's config behind `fingerpost proxy`, and exactly undo it.

The config is edited by spans of its text and never written anew, so comments, order and layout stay. A wrapped entry
contains what `unwrap` needs:

- The text of a command moves into `args`, after `--`.
- The text of a URL moves into `args` too. `"command"` replaces its key, and `"stdio"` replaces the type. `env` replaces
  the headers: their text becomes the value of `FINGERPOST_HEADERS`, which process lists do not show. White space and
  comments stay where they are.
- What cannot be derived from that is stored in one more member, `fingerpost`: `args` that were absent; a key for the
  URL other than `url`; a type other than `http`; the text of headers with comments, which the proxy cannot parse; and
  the place of headers in an entry that already had an `env`.

A copy of the whole entry would be simpler and worse: secrets would be in the file twice, and `unwrap` would revert the
user's later edits. Here any other field may be edited in between, and so may the arguments, the URL and the headers.
A client that reformats its config does no harm, because nothing depends on layout. The member is no environment
variable, because servers would inherit it. Clients ignore unknown members. If a client drops this one, `unwrap`
restores an equivalent entry, except for an unusual key or type.

Gemini CLI and opencode reject unknown members. In their configs, and in TOML and YAML, everything is derived from the
entry, and comments mark only what makes no difference. An entry that could not be restored exactly is skipped, with the
lines to write by hand.
"""

from fingerpost.client_config.editable import ConfigSyntaxError
from fingerpost.client_config.formats import Format, format_of
from fingerpost.client_config.rewrite import Change, Outcome, unwrap, wrap
from fingerpost.client_config.servers import SHAPES, NoServersError, Server, is_fingerpost
from fingerpost.client_config.wrap_server import Proxy

__all__ = [
    "SHAPES",
    "Change",
    "ConfigSyntaxError",
    "Format",
    "NoServersError",
    "Outcome",
    "Proxy",
    "Server",
    "format_of",
    "is_fingerpost",
    "unwrap",
    "wrap",
]

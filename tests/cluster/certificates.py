"""Certificates: an authority of our own, and files by which nodes prove who they are."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.suite.tools import require


@dataclass(frozen=True)
class Tls:
    """Files by which one node proves to others that it belongs to them."""

    ca: Path
    cert: Path
    key: Path

    @property
    def options(self) -> list[str]:
        """Options for a scheduler or a worker."""
        names = {"--tls-ca-file": self.ca, "--tls-cert": self.cert, "--tls-key": self.key}
        return ["--protocol=tls", *(f"{name}={file}" for name, file in names.items())]


def certificates(folder: Path) -> Tls:
    """A new authority and a certificate that it has signed, which serves all nodes."""
    require("openssl")
    folder.mkdir(parents=True, exist_ok=True)
    new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    authority = "/CN=authority -keyout ca-key.pem -out ca.pem -addext keyUsage=critical,keyCertSign"
    node = "/CN=node -keyout key.pem -out cert.pem -addext basicConstraints=critical,CA:FALSE"
    for words in (authority, f"{node} -CA ca.pem -CAkey ca-key.pem"):
        command = f"{new} -subj {words}".split()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return Tls(*(folder / name for name in ("ca.pem", "cert.pem", "key.pem")))

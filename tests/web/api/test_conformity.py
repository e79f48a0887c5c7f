"""Everything that the description allows and forbids, asked of a real server by schemathesis."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.ladders import (
    BROKEN_BOT,
    copy_ladder,
    create_token,
    post_bot,
    serve_ladder,
    wait_for_result,
)
from tests.web.server_process import ROOT

pytestmark = pytest.mark.soak

EXAMPLES = 6

SETTINGS = """
headers = {{ Authorization = "Bearer {token}" }}

[[operations]]
include-name = "POST /api/bots"
# That a file has a name, by one of two ways, and is no text of control characters cannot be said.
checks.positive_data_acceptance.enabled = false

[[operations]]
include-path-regex = "^/api/submissions"
parameters = {{ "path.id" = "{submission}" }}

[[operations]]
include-path = "/api/games/{{id}}"
parameters = {{ "path.id" = "{game}" }}
"""


def test_all_answers_are_as_described(ladder: Path, tmp_path: Path) -> None:
    """No question, however odd, gets an answer that is not described, or breaks anything."""
    folder = copy_ladder(ladder, tmp_path / "ladder")
    log = tmp_path / "log.txt"
    with serve_ladder(folder, log=log) as there:
        shown = create_token(folder)
        number = post_bot(there, shown, BROKEN_BOT.encode())["id"]
        wait_for_result(there, number)
        game = there.request("/api/games?limit=1").json["games"][0]["id"]
        told = SETTINGS.format(token=shown, submission=number, game=game)
        (tmp_path / "schemathesis.toml").write_text(told)
        done = subprocess.run(
            [
                sys.executable,
                *("-c", "from schemathesis.cli import schemathesis; schemathesis()"),
                *("run", f"http://127.0.0.1:{there.port}/api/openapi.json"),
                *("--max-examples", str(EXAMPLES), "--suppress-health-check", "all"),
                *("--seed", "1", "--no-color"),
            ],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "No issues found" in done.stdout or "passed" in done.stdout
        assert there.request("/healthz").json["status"] == "ok"
    assert "ERROR" not in log.read_text()
    assert "Traceback" not in log.read_text()

"""The command `arena ladder token`: issue, revoke and list submission tokens."""

from pathlib import Path

import click

from arena.cli.options import ladder_argument
from arena.cli.output import print_json
from arena.errors import ArenaError
from arena.ladder.folder import upgrade_ladder
from arena.ladder.registry import Registry
from arena.ladder.settings import find_settings_file
from arena.ladder.tokens import canonical_owner, issue_token, revoke_token
from arena.sanitize import printable


@click.command(short_help="Give somebody a token to submit bots with.")
@ladder_argument
@click.argument("owner", metavar="NAME", required=False)
@click.option("--revoke", "revokes", is_flag=True, help="Let the token of NAME be worth nothing.")
@click.option("--json", "as_json", is_flag=True, help="The owners, or the token, as JSON.")
def token(*, folder: Path, owner: str | None, revokes: bool, as_json: bool) -> None:
    """Print a new token for the owner NAME, which is shown once and kept as a hash only.

    A token that was given before is worth nothing from then on. NAME is not case-sensitive; a new
    NAME that looks like another owner's is refused. Without NAME all owners are listed.
    """
    find_settings_file(folder)
    if revokes and owner is None:
        raise ArenaError("--revoke wants to know whose token: add NAME")
    upgrade_ladder(folder)
    with Registry.open(folder) as registry:
        if owner is None:
            print_owners(registry, as_json=as_json)
        elif revokes:
            if not revoke_token(registry, owner):
                raise ArenaError(f"{owner} has no token")
            click.echo(f"The token of {printable(owner)} is worth nothing any more.")
        else:
            new_token = issue_token(registry, owner)
            owner = canonical_owner(registry, owner)
            if as_json:
                print_json({"owner": owner, "token": new_token})
            else:
                click.echo(new_token)
                click.echo(
                    f"This is the token of {printable(owner)}; it is not shown again.", err=True
                )


def print_owners(registry: Registry, *, as_json: bool) -> None:
    """Print all owners, and which of them have a token."""
    owners = registry.token_owners()
    if as_json:
        print_json([{"owner": name, "token": has, "since": since} for name, has, since in owners])
        return
    if not owners:
        click.echo("Nobody has a token yet; arena ladder token DIR NAME gives one.")
    for name, has, since in owners:
        click.echo(f"{printable(name)}  {'has a token' if has else 'no token'}  since {since[:10]}")

"""The command that turns the autoloading of the notebook magics on and off: magics."""

from __future__ import annotations

import click

from jupyter_kb.cli.command import Command


@click.command(cls=Command, short_help="Load %kb in every notebook, or no longer.")
@click.option("--enable/--disable", "wanted", default=None, help="Turn it on or off.")
@click.option(
    "--profile", default="default", metavar="NAME", show_default=True, help="The profile of IPython to change."
)
def magics(wanted: bool | None, profile: str) -> None:
    """Load the magic %kb whenever a kernel starts, so that no notebook needs `%load_ext jupyter_kb`.

    That is a file of its own among IPython's startup files; other files are not touched. Without an option: whether it
    is on.

    \b
    jupyter kb magics --enable
    jupyter kb magics --disable
    """
    from jupyter_kb.cli import console
    from jupyter_kb.magics import startup
    from jupyter_kb.render.lines import visible, with_tilde, words

    if wanted is None:
        state = "on" if startup.is_enabled(profile) else "off"
        lines = [words(f"Autoloading of %kb is {state}.")]
    elif wanted:
        told = "New kernels load %kb." if startup.enable(profile) else "New kernels load %kb already."
        lines = [words(told)]
    else:
        told = (
            "New kernels do not load %kb any more."
            if startup.disable(profile)
            else "No kernel loads %kb: nothing to do."
        )
        lines = [words(told)]
    place = visible(with_tilde(str(startup.startup_file(profile))))
    console.show([*lines, words(place, "muted")])

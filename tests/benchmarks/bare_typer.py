"""The least that a typer program can be: what any command line made with typer starts with."""

import typer

app = typer.Typer()


@app.command()
def main(name: str) -> None:
    """Print a line."""
    typer.echo(f"hello {name}")


if __name__ == "__main__":
    app()

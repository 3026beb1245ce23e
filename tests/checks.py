"""What the checks of the sources share: their command line, and small trees of files to try them on."""
import pathlib
import sys
import tempfile


def complaints_about(complaints, files):
    """What complaints(root) says of a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list(complaints(root))


def main(arguments, complaints, self_test, summary):
    """Runs the self-test, or prints complaints(root); summary is "name: {} faults"."""
    if arguments == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    messages = list(complaints(root))
    for message in messages:
        print(message, file=sys.stderr)
    print(summary.format(len(messages)))
    return 1 if messages else 0

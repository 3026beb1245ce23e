"""The command ``skald`` of the package."""

import subprocess
import sys

import skald

SKALD = [sys.executable, "-m", "skald"]


def run(*words, **options):
    return subprocess.run([*SKALD, *words], capture_output=True, text=True, timeout=120, **options)


def test_it_is_the_program():
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith(f"skald {skald.__version__}")


def test_it_writes_a_text_and_ends_with_its_code():
    done = run("run", "-p", "Once upon a time", "-n", "8", "--temp", "0")
    assert done.returncode == 0 and len(done.stdout) > 20
    wrong = run("run", "--no-such-flag")
    assert wrong.returncode == 2 and "no-such-flag" in wrong.stderr and "Traceback" not in wrong.stderr


def test_ctrl_c_and_closed_pipes_end_it_as_the_program():
    done = subprocess.run(f"{sys.executable} -m skald run -p Once -n 500 --ignore-eos | head -c 20", shell=True,
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    assert len(done.stdout) == 20 and "Traceback" not in done.stderr


def test_its_server_drains_at_sigterm_past_the_threads_of_numpy():
    with subprocess.Popen([*SKALD, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True) as server:
        assert any(" ready " in line for line in server.stderr)
        server.terminate()
        assert server.wait(30) == 0 and "draining" in server.stderr.read()

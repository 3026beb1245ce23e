"""Ctrl-C, and readers that go away."""
import signal
import subprocess
import time

import support

ENDLESS = ("run", "-p", "Once upon a time", "-n", "-1", "--ignore-eos", "-c", "1000000")


class Interrupt(support.CliTest):
    def interrupted(self, number):
        with subprocess.Popen([support.SKALD, *ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            try:
                p.stdout.read1(64)  # it tells
                time.sleep(0.3)
                p.send_signal(number)
                start = time.monotonic()
                _, message = p.communicate(timeout=30)
                return p.returncode, message.decode(), time.monotonic() - start
            finally:
                p.kill()

    def test_ends_the_story_soon_with_timings_and_code_130(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, message, seconds = self.interrupted(number)
            self.assertEqual(code, 130, message)
            self.assertLess(seconds, 5)
            self.assertRegex(message, r"generate: +[1-9]\d* tokens")

    def test_during_a_long_prompt_ends_it_too(self):
        with subprocess.Popen([support.SKALD, "run", "-f", "-", *ENDLESS[3:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as p:
            try:
                p.stdin.write(b"Once upon a time " * 20000)
                p.stdin.close()
                p.stdin = None
                p.stdout.read1(64)  # the prompt is printed before it is computed
                p.send_signal(signal.SIGINT)
                start = time.monotonic()
                p.communicate(timeout=30)
                self.assertEqual(p.returncode, 130)
                self.assertLess(time.monotonic() - start, 10)
            finally:
                p.kill()


class ClosedPipe(support.CliTest):
    def test_ends_the_program_quietly(self):
        r = subprocess.run(["bash", "-c", '"$@" | head -c 10', "bash", support.SKALD, *ENDLESS], capture_output=True, timeout=30)
        self.assertEqual(r.stdout, b"Once upon ")
        for word in (b"terminate", b"Aborted", b"core dumped", b"Sanitizer"):
            self.assertNotIn(word, r.stderr)

    def test_that_no_signal_tells_of_ends_it_with_an_error(self):
        # SIGPIPE stays ignored, as Python has it and some other parents leave it
        with subprocess.Popen([support.SKALD, *ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              restore_signals=False) as p:
            try:
                p.stdout.read1(64)
                p.stdout.close()
                p.wait(timeout=30)
                self.assertEqual(p.returncode, 1)
                self.assertIn(b"standard output", p.stderr.read())
            finally:
                p.kill()


support.main()

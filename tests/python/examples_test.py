"""The examples of python/examples, each of which checks itself."""
import subprocess
import sys
import unittest
from pathlib import Path

folder = Path(__file__).resolve().parents[2] / "python" / "examples"


class Examples(unittest.TestCase):
    def test_all(self):
        scripts = sorted(folder.glob("*.py"))
        self.assertGreaterEqual(len(scripts), 5)
        for script in scripts:
            with self.subTest(script.name):
                run = subprocess.run([sys.executable, script], capture_output=True, text=True)
                print(script.name, run.stdout, end="")
                self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()

"""The examples of docs/python.md, in order, in one folder and one namespace."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

page = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()


class Guide(unittest.TestCase):
    def test_examples(self):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                scenes = re.findall(r"as `([\w.]+)`[^`]*```yaml\n(.*?)```", page, re.S)
                self.assertTrue(scenes)
                for name, text in scenes:
                    Path(name).write_text(text)
                    subprocess.run([os.environ["TENON"], "run", name, "--quiet"], check=True)
                names = {}
                blocks = re.findall(r"```python\n(.*?)```", page, re.S)
                self.assertGreater(len(blocks), 3)
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), names)
            finally:
                os.chdir(here)


if __name__ == "__main__":
    unittest.main()

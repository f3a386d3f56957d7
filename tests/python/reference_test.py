"""The reference made from docstrings (make docs): everything public is in it, with a text of its own."""
import inspect
import re
import subprocess
import sys
import unittest
from pathlib import Path

import tenon

TOOL = Path(__file__).resolve().parents[2] / "tools" / "python-reference"


class Reference(unittest.TestCase):
    def test_all_is_there(self):
        page = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=True).stdout
        sections = dict(re.findall(r"^## (\w+) \{#\w+\}\n\n(.*?)(?=^## |\Z)", page, re.M | re.S))
        self.assertEqual(set(sections), set(tenon.__all__) - {"__version__"})
        for name, section in sections.items():
            self.assertGreater(len(section), 20, name)
            entries = re.findall(r"^- \*\*`(\w+).*?`\*\*: (.*)$", section, re.M)
            thing = getattr(tenon, name)
            if inspect.isclass(thing):
                public = {member for member in vars(thing) if not member.startswith("_") and
                          (callable(vars(thing)[member]) or inspect.isdatadescriptor(vars(thing)[member]))}
                self.assertLessEqual(public, {entry for entry, _ in entries}, name)
            for entry, text in entries:
                self.assertRegex(text, r"\w\w", f"{name}.{entry} has no docstring")


if __name__ == "__main__":
    unittest.main()

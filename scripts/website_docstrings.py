"""For the website: examples of docstrings, which begin with >>>, are fenced as code."""

import griffe


class FenceExamples(griffe.Extension):
    """Runs before docstrings are parsed as Markdown."""

    def on_instance(self, *, obj, **_):
        """Fences each run of lines from >>> to the next empty line."""
        if obj.is_alias or obj.docstring is None:
            return
        lines = []
        inside = False
        for line in obj.docstring.value.splitlines():
            if line.startswith(">>>") and not inside:
                lines.append("```pycon")
                inside = True
            elif inside and not line.strip():
                lines.append("```")
                inside = False
            lines.append(line)
        obj.docstring.value = "\n".join([*lines, "```"] if inside else lines)

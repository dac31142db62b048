"""EPUB, DOCX and PDF -> Markdown, in a process of its own: the formats are hostile ground (R023).

`reading_apart` starts that process and bounds it; everything else here runs inside it.
"""

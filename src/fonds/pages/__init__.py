"""Pages for a browser: templates, one stylesheet, and the headers they are sent under."""

#!/usr/bin/env python3
"""Pictures of report pages for docs/report.md, by a headless Chromium.

report_screenshots.py STARVED.html FED.html [FOLDER]   Writes report-starved.png, report-fed.png, report-dark.png, report-phone.png and
report-phone-dark.png into FOLDER (docs/ unless given).
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import browser  # noqa: E402

WIDE, PHONE = {"width": 1000, "height": 1240}, {"width": 360, "height": 780, "mobile": True}


def main():
    if len(sys.argv) < 3 or not browser.PROGRAM:
        print(__doc__ if browser.PROGRAM else browser.MISSING)
        return 2
    starved, fed = sys.argv[1:3]
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else ROOT / "docs")
    pictures = {"starved": (starved, WIDE, False), "fed": (fed, WIDE, False), "dark": (fed, WIDE, True),
                "phone": (starved, PHONE, False), "phone-dark": (fed, PHONE, True)}
    with browser.browser() as page:
        for name, (file, size, dark) in pictures.items():
            page.open(file, dark=dark, **size)
            page.screenshot(folder / f"report-{name}.png", whole=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())

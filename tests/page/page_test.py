#!/usr/bin/env python3
"""Opens our pages in a headless Chromium, wide and narrow, light, dark and printed.

    page_test.py FOLDER_OF_PROGRAMS [--keep FOLDER]     --keep leaves pages and screenshots there
    page_test.py FOLDER_OF_PROGRAMS --update            draws the pictures of docs/images again
"""

import argparse
import base64
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

from browser import Browser

PROGRAMS = pathlib.Path()
FOLDER = pathlib.Path()
IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "images"
# Pictures of documents: the beginning of a sample page, its width and height.
PICTURES_OF_DOCUMENTS = {"plan.png": ("plan-large", 980, 1000), "report.png": ("large", 825, 884),
                         "report-scale.png": ("scaled", 825, 1078)}
MOST_DIFFERENCE = 0.02  # another version of Chromium draws letters a little otherwise
LOOKS = [("light", "screen"), ("dark", "screen"), ("light", "print"), ("dark", "print")]

# What sticks out to the right of the page, other than in a box that scrolls.
OVERFLOW = """(() => {
  const scrolls = element => element && (getComputedStyle(element).overflowX === 'auto' || scrolls(element.parentElement));
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll('body *')]
    .filter(element => element.getBoundingClientRect().right > width + 1 && !scrolls(element.parentElement))
    .map(element => element.outerHTML.slice(0, 200))
    .concat(document.documentElement.scrollWidth > width ? ['the page itself'] : []);
})()"""

# Tables that are wider than their box.
WIDE = """[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth)
  .map(box => box.getAttribute('aria-label') + ': ' + box.scrollWidth + ' of ' + box.clientWidth)"""

# Captions of tables that are cut at the right.
CAPTIONS = """[...document.querySelectorAll('caption')]
  .filter(caption => caption.getBoundingClientRect().right > document.documentElement.clientWidth)
  .map(caption => caption.textContent)"""

# Texts of pictures that leave their picture, or lie over each other.
PICTURES = """(() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
  const outside = texts.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1 ||
                                            box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
  const over = texts.filter(([, a], i) => texts.some(([, b], j) => j < i && a.left < b.right - 1 &&
      b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4));
  return outside.map(([text]) => 'outside: ' + text).concat(over.map(([text]) => 'overlaps: ' + text));
}))()"""

# Labels of bars and lines that another one in the same picture repeats. Lines that follow each other are one label.
LABELS = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const named = 'text:not(.muted):not(.title)';
  const labels = [];
  for (const text of svg.querySelectorAll(named)) {
    if (text.previousElementSibling?.matches(named)) labels.push(labels.pop() + ' ' + text.textContent);
    else labels.push(text.textContent);
  }
  return labels.filter((label, i) => labels.indexOf(label) < i);
})"""

# What is drawn outside of its plot: lines, marks, bars and whiskers, half a mark beyond the outermost lines of the grid
# allowed; and shapes outside of their picture.
PLOTS = """(() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const boxes = (root, selector) => [...root.querySelectorAll(selector)].map(shape => [shape, shape.getBoundingClientRect()]);
  const frame = svg.getBoundingClientRect();
  const scale = frame.width / svg.viewBox.baseVal.width;
  const beyond = (a, b, slack) => a.left < b.left - slack || a.right > b.right + slack ||
                                  a.top < b.top - slack || a.bottom > b.bottom + slack;
  const outside = boxes(svg, 'line, rect, path, polyline, polygon, circle')
      .filter(([, box]) => beyond(box, frame, 1)).map(([shape]) => 'outside of the picture: ' + shape.outerHTML);
  return outside.concat([...svg.querySelectorAll('g.plot')].flatMap(plot => {
    const lines = boxes(plot, '.grid, .axis').map(([, box]) => box);
    if (!lines.length) return [];
    const grid = {left: Math.min(...lines.map(box => box.left)), right: Math.max(...lines.map(box => box.right)),
                  top: Math.min(...lines.map(box => box.top)), bottom: Math.max(...lines.map(box => box.bottom))};
    return boxes(plot, '.line, .faint, .mark, .bar, .whisker, .whisker-ink, .forecast, .ideal, .ring, .pause')
        .filter(([, box]) => beyond(box, grid, 8 * scale)).map(([shape]) => 'outside of its plot: ' + shape.outerHTML);
  }));
}))()"""

# How much two pictures differ: the share of their pixels in which a color does by more than an eighth, or a text.
DIFFERENCE = """(async (one, other) => {
  const pixels = async data => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return `${a.width} x ${a.height}, not ${b.width} x ${b.height}`;
  let different = 0;
  for (let i = 0; i < a.data.length; i += 4)
    different += [0, 1, 2].some(c => Math.abs(a.data[i + c] - b.data[i + c]) > 32);
  return different / (a.width * a.height);
})"""

# The contrast of every text to what is behind it, by WCAG 2: those below 4.5.
CONTRAST = """(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * light(r / 255) + 0.7152 * light(g / 255) + 0.0722 * light(b / 255);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === undefined || alpha > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bad = [];
  let count = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent.trim()) continue;
    ++count;
    const element = node.parentElement;
    const style = getComputedStyle(element);
    const color = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(color), luminance(behind(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (!(contrast >= 4.5)) bad.push(contrast.toFixed(2) + ': ' + node.textContent.slice(0, 60));
  }
  return {count, bad};
})()"""


class PageTest(unittest.TestCase):
    browser: Browser

    def pages(self) -> typing.List[pathlib.Path]:
        pages = sorted(FOLDER.glob("*.html"))
        self.assertEqual([page.stem for page in pages], [
            "hostile", "large", "long", "plan-hostile", "plan-large", "plan-none", "scaled", "smallest"])
        return pages

    def test_a_page_asks_for_nothing_and_complains_of_nothing(self) -> None:
        for page in self.pages() + sorted(FOLDER.glob("*.svg")):
            with self.subTest(page=page.name):
                self.browser.open(page)
                self.browser.evaluate("document.title")  # what was said before comes before this answer
                self.assertEqual(self.browser.requests(), [page.resolve().as_uri()])
                self.assertEqual(self.browser.complaints(), [])

    def test_nothing_sticks_out(self) -> None:
        for page in self.pages():
            self.browser.open(page)
            for width in (320, 400, 1280):
                with self.subTest(page=page.name, width=width):
                    self.browser.show_as(width)
                    self.assertEqual(self.browser.evaluate(OVERFLOW), [])
                    self.assertEqual(self.browser.evaluate(PICTURES), [])
                    self.assertEqual(self.browser.evaluate(CAPTIONS), [])

    def test_charts_can_be_read(self) -> None:
        for page in self.pages() + sorted(FOLDER.glob("*.svg")):
            self.browser.open(page)
            for width in (320, 1280):
                with self.subTest(page=page.name, width=width):
                    self.browser.show_as(width)
                    self.assertEqual(self.browser.evaluate(LABELS), [])
                    self.assertEqual(self.browser.evaluate(PLOTS), [])

    def test_every_page_has_a_dark_style(self) -> None:
        for page in self.pages() + sorted(FOLDER.glob("*.svg")):
            self.browser.open(page)
            behind = []
            for scheme in ("light", "dark"):
                self.browser.show_as(1280, scheme)
                behind.append(self.browser.evaluate(
                    "document.body ? getComputedStyle(document.body).backgroundColor"
                    " : getComputedStyle(document.querySelector('.paper')).fill"))
            with self.subTest(page=page.name):
                self.assertNotEqual(*behind)

    def beginning(self, page: str, width: int, height: int) -> bytes:
        """The top of a sample page as PNG."""
        self.browser.open(FOLDER / f"{page}.html")
        self.browser.show_as(width)
        return self.browser.screenshot((width, height))

    def test_the_pictures_of_documents_are_what_is_drawn(self) -> None:
        """`page_test.py FOLDER --update` draws them again: look at them, then commit."""
        for name, (page, width, height) in PICTURES_OF_DOCUMENTS.items():
            with self.subTest(picture=name):
                self.assertEqual(self.difference(self.beginning(page, width, height), (IMAGES / name).read_bytes()), "")

    def difference(self, one: bytes, other: bytes) -> str:
        """How two pictures differ; empty: too little to be seen."""
        texts = ", ".join(f"'{base64.b64encode(picture).decode()}'" for picture in (one, other))
        found = self.browser.evaluate(f"{DIFFERENCE}({texts})")
        if isinstance(found, (int, float)) and found <= MOST_DIFFERENCE:
            return ""
        return f"{found:.1%} of the pixels differ" if isinstance(found, (int, float)) else str(found)

    def update(self) -> None:
        for name, (page, width, height) in PICTURES_OF_DOCUMENTS.items():
            picture = self.beginning(page, width, height)
            if not (IMAGES / name).exists() or self.difference(picture, (IMAGES / name).read_bytes()):
                (IMAGES / name).write_bytes(picture)
                print(f"docs/images/{name} is drawn again")

    def test_a_desktop_shows_tables_as_a_whole(self) -> None:
        """Those of three axes, with predictions and intervals."""
        for page in self.pages():
            if page.stem not in ("large", "scaled"):
                continue
            with self.subTest(page=page.name):
                self.browser.open(page)
                self.browser.show_as(1100)
                self.assertEqual(self.browser.evaluate(WIDE), [])

    def test_text_has_contrast(self) -> None:
        for page in self.pages():
            self.browser.open(page)
            for scheme, medium in LOOKS:
                with self.subTest(page=page.name, scheme=scheme, medium=medium):
                    self.browser.show_as(1280, scheme, medium)
                    found = self.browser.evaluate(CONTRAST)
                    self.assertEqual(found["bad"], [])
                    self.assertGreater(found["count"], 10)

    def test_dark_is_for_screens_only(self) -> None:
        self.browser.open(self.pages()[1])
        behind = {}
        for scheme, medium in LOOKS:
            self.browser.show_as(1280, scheme, medium)
            behind[scheme, medium] = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
        white = "rgb(255, 255, 255)"
        self.assertNotEqual(behind.pop(("dark", "screen")), white)
        self.assertEqual(set(behind.values()), {white})

    def test_it_prints(self) -> None:
        for page in self.pages():
            self.browser.open(page)
            self.assertGreater(len(self.browser.call("Page.printToPDF", printBackground=False)["data"]), 1000)

    def test_what_is_wrong_is_seen(self) -> None:
        """The checks above find what they look for."""
        bad = FOLDER / "bad.htm"
        bad.write_text("<!doctype html><script>console.error('x')</script><img src='gone.png'>"
                       "<p style='width:2000px;color:#999;background:#fff'>pale</p>"
                       "<svg width='50' height='60' viewBox='0 0 50 60'><text x='10' y='15'>far too long for it</text>"
                       "<g class='plot'><line class='axis' x1='5' x2='9' y1='9' y2='9'/>"
                       "<circle class='mark' cx='40' cy='9' r='2'/></g>"
                       "<text x='1' y='50'>a</text><g></g><text x='30' y='50'>a</text></svg>",
                       encoding="utf-8")
        self.browser.open(bad)
        self.browser.show_as(400)
        self.assertGreaterEqual(len(self.browser.evaluate(OVERFLOW)), 2)
        self.assertEqual(len(self.browser.evaluate(PICTURES)), 1)
        self.assertEqual(self.browser.evaluate(LABELS), ["a"])
        self.assertEqual(len(self.browser.evaluate(PLOTS)), 1)
        self.assertEqual(self.browser.evaluate(CONTRAST)["bad"], ["2.85: pale"])
        self.assertEqual(len(self.browser.requests()), 2)
        self.assertGreaterEqual(len(self.browser.complaints()), 1)

    def keep(self, folder: pathlib.Path) -> None:
        shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
        for page in self.pages():
            self.browser.open(page)
            for width, scheme in ((400, "light"), (1280, "light"), (1280, "dark")):
                self.browser.show_as(width, scheme)
                (folder / f"{page.stem}-{width}-{scheme}.png").write_bytes(self.browser.screenshot())


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if program := shutil.which(name):
            return program
    sys.exit("page_test.py: there is no chromium; tools/setup.sh page installs it")


def main() -> int:
    global PROGRAMS, FOLDER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    PROGRAMS = arguments.programs
    with tempfile.TemporaryDirectory(prefix="sumac-page-test-") as folder, Browser(chromium()) as browser:
        FOLDER = pathlib.Path(folder)
        PageTest.browser = browser
        subprocess.run([PROGRAMS / "sumac_sample_pages", FOLDER], check=True)
        if arguments.keep:
            PageTest().keep(arguments.keep)
        if arguments.update:
            PageTest().update()
            return 0
        done = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(PageTest))
        return 0 if done.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Loads a folder of classes with Pillow and several processes, as sumac-bench-pictures does.

    pil_folder.py make FOLDER COUNT WIDTH HEIGHT     writes noisy JPEGs of two classes to load
    pil_folder.py load FOLDER PROCESSES [SIDE]       prints one JSON line

With SIDE, Pillow decodes in draft mode, scales the shorter side, and cuts the middle.
"""

import json
import multiprocessing
import pathlib
import random
import sys
import time

from PIL import Image, ImageOps


def make(folder, count, width, height):
    source = random.Random(1)
    for i in range(count):
        target = pathlib.Path(folder, "train", "ab"[i % 2])
        target.mkdir(parents=True, exist_ok=True)
        few = Image.frombytes("RGB", (16, 16), source.randbytes(16 * 16 * 3))
        smooth = few.resize((width, height), Image.Resampling.BICUBIC)
        noise = Image.effect_noise((width, height), 40).convert("RGB")  # as of a sensor: details take time to decode
        Image.blend(smooth, noise, 0.1).save(target / f"{i}.jpg", quality=90)


def pixels_of(job):
    path, side = job
    with Image.open(path) as image:
        if side:
            image.draft("RGB", (side, side))
        image = ImageOps.exif_transpose(image.convert("RGB"))
        if side:
            image = ImageOps.fit(image, (side, side), Image.Resampling.BILINEAR)
        return image.tobytes()


def load(folder, processes, side):
    begin = time.perf_counter()
    jobs = [(path, side) for path in sorted(pathlib.Path(folder).glob("train/*/*.jpg"))]
    with multiprocessing.Pool(processes) as pool:
        loaded = b"".join(pool.imap(pixels_of, jobs, chunksize=max(1, min(256, len(jobs) // 16))))
    seconds = time.perf_counter() - begin
    print(json.dumps({"pictures": len(jobs), "seconds": round(seconds, 3),
                      "picturesPerSecond": round(len(jobs) / seconds), "bytes": len(loaded)}))


def main():
    what, folder, *numbers = sys.argv[1:]
    numbers = [int(number) for number in numbers]
    if what == "make":
        make(folder, *numbers)
    else:
        load(folder, numbers[0], numbers[1] if len(numbers) > 1 else 0)


if __name__ == "__main__":
    main()

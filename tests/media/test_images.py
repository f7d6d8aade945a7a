import zlib

import numpy as np
import pytest
from PIL import Image, ImageFile

from tempbench_lmms.data import roots
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.media import images


def solid(colour, size=(128, 128)):
    return Image.new("RGB", size, colour)


def test_geometry_of_the_strip():
    # Five 128x128 images: 5 * 128 + 6 * 10 wide, 128 + 20 + 30 high.
    strip = images.stitch([solid("red")] * 5, ["x"] * 5)
    assert strip.size == (700, 178)
    pixels = np.asarray(strip)
    assert (pixels[25:153, 10:138] == (255, 0, 0)).all()
    assert (pixels[25:153, 138:148] == 255).all()
    assert (pixels[153:] == 255).all()


def test_geometry_of_the_sources():
    assert images.stitch([solid("red")] * 2, ["x"] * 2, "vist").size == (2 * 443 + 30, 240 + 50)
    lower = np.asarray(images.stitch([solid("red")], ["x"], "vwp"))
    assert (lower[40:168, 10:138] == (255, 0, 0)).all()
    assert (lower[26:40, 10:138] == 255).all()


def test_label_is_drawn_above_its_image():
    pixels = np.asarray(images.stitch([solid("red"), solid("blue")], ["Image 1", ""]))
    assert (pixels[:25, 10:138] < 128).any()
    assert (pixels[:25, 148:276] == 255).all()


def test_the_official_strip(shared):
    layout = shared / "golden/tempvs_release_layout/data/flintstones"
    for strip in sorted((layout / "combined").glob("*.jpg")):
        episode, _, shots = strip.stem.partition("_shot_")
        paths = [next(layout.glob(f"*jpg/{episode}_shot_{shot}_*.jpg")) for shot in shots.split("_")]
        frames = [Image.open(path).convert("RGB") for path in paths]
        ours = images.stitch(frames, [f"Image {i + 1}" for i in range(5)], "flintstones")
        official = Image.open(strip)
        assert ours.size == official.size
        # The official strip went through JPEG.
        difference = np.abs(np.asarray(ours, float) - np.asarray(official.convert("RGB"), float))
        assert difference.mean() < 3


@pytest.fixture
def media(tmp_path, monkeypatch):
    root = tmp_path / "tempvs"
    root.mkdir()
    (root / roots.MANIFEST).write_text("{}")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    return root


def test_missing(media):
    with pytest.raises(MediaError, match="missing"):
        images.load_image("tempbench://tempvs/none.png")


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 50])
def test_damaged(media, content):
    (media / "bad.png").write_bytes(content)
    with pytest.raises(MediaError, match=r"damaged.*if it stays so the source is damaged"):
        images.load_image("tempbench://tempvs/bad.png")


@pytest.mark.parametrize("lenient", [False, True])
def test_cut_off(media, monkeypatch, lenient):
    # The harness sets this, and Pillow then fills up with grey what is not there.
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", lenient)
    solid("red", (400, 400)).save(media / "whole.png")
    whole = (media / "whole.png").read_bytes()
    (media / "cut.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MediaError, match="damaged"):
        images.load_image("tempbench://tempvs/cut.png")
    assert ImageFile.LOAD_TRUNCATED_IMAGES is lenient


def test_decompression_bomb_is_refused_before_it_is_decoded(media):
    # A PNG header that promises 30,000 x 30,000 pixels, with hardly any data behind it.
    def chunk(kind, data):
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    size = (30_000).to_bytes(4, "big")
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + size + b"\x08\x02\0\0\0") + chunk(b"IDAT", b"x")
    (media / "bomb.png").write_bytes(png)
    with pytest.raises(MediaError):
        images.load_image("tempbench://tempvs/bomb.png")


def test_outside(media):
    with pytest.raises(TempbenchError, match="outside"):
        images.load_image("tempbench://tempvs/../x.png")


def opened(picture, path, **given):
    picture.save(path, **given)
    return np.asarray(images.open_image(path, path.name))


def quarters():
    """A picture whose four quarters are red, green, blue and white."""
    picture = Image.new("RGB", (64, 48), "white")
    for place, colour in (((0, 0), "red"), ((32, 0), "lime"), ((0, 24), "blue")):
        picture.paste(colour, (*place, place[0] + 32, place[1] + 24))
    return picture


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_as_its_exif_says(tmp_path, orientation):
    from PIL import ImageOps

    exif = Image.Exif()
    exif[0x0112] = orientation
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # Image.Transpose that stores it so
    stored = quarters() if orientation == 1 else quarters().transpose(Image.Transpose(undo[orientation]))
    found = opened(stored, tmp_path / "a.png", exif=exif)
    assert np.array_equal(found, np.asarray(quarters()))
    assert np.array_equal(found, np.asarray(ImageOps.exif_transpose(Image.open(tmp_path / "a.png"))))


def test_cmyk_has_its_colours(tmp_path):
    found = opened(quarters().convert("CMYK"), tmp_path / "a.jpg", quality=100, subsampling=0)
    assert np.abs(found.astype(int) - np.asarray(quarters())).mean() < 3
    found = opened(quarters().convert("CMYK"), tmp_path / "a.tif")
    assert np.array_equal(found, np.asarray(quarters()))


@pytest.mark.parametrize("suffix", ["png", "gif"])
def test_a_palette_is_looked_up(tmp_path, suffix):
    picture = quarters().convert("P", palette=Image.Palette.ADAPTIVE)
    assert np.array_equal(opened(picture, tmp_path / f"a.{suffix}"), np.asarray(quarters()))


@pytest.mark.parametrize("suffix", ["png", "webp"])
def test_what_is_transparent_is_white(tmp_path, suffix):
    picture = quarters().convert("RGBA")
    picture.putpixel((0, 0), (0, 0, 0, 0))
    picture.putpixel((1, 0), (0, 0, 0, 128))
    found = opened(picture, tmp_path / f"a.{suffix}", **({"lossless": True} if suffix == "webp" else {}))
    assert found[0, :3].tolist() == [[255] * 3, [127] * 3, [255, 0, 0]]


def test_a_transparent_palette_and_transparent_grey_are_white(tmp_path):
    picture = quarters().convert("P", palette=Image.Palette.ADAPTIVE)
    red = picture.getpixel((0, 0))
    assert opened(picture, tmp_path / "a.png", transparency=red)[0, 0].tolist() == [255] * 3
    grey = Image.new("LA", (4, 4), (80, 0))
    assert opened(grey, tmp_path / "b.png")[0, 0].tolist() == [255] * 3


def test_16_bits_of_a_png_go_from_black_to_white(tmp_path):
    values = np.linspace(0, 65535, 256, dtype=np.uint16).reshape(16, 16)
    found = opened(Image.fromarray(values), tmp_path / "a.png")
    assert np.array_equal(found[..., 0].ravel(), np.arange(256))


@pytest.mark.parametrize("suffix", ["jp2", "j2k", "avif"])
def test_jpeg_2000_and_avif_are_read(tmp_path, suffix):
    pytest.importorskip("PIL.AvifImagePlugin" if suffix == "avif" else "PIL.Jpeg2KImagePlugin")
    path = tmp_path / f"a.{suffix}"
    assert np.abs(opened(quarters(), path, quality=95).astype(int) - np.asarray(quarters())).mean() < 3
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"iloc", b"xxxx") if suffix == "avif" else whole[:-40])
    with pytest.raises(MediaError, match="damaged") as caught:
        images.open_image(path, "a")
    assert caught.value.reason == "damaged"


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC are not read here; convert it to PNG or JPEG"),
        (b"\xff\x0a" + b"\x55" * 40, "JPEG XL are not"),
        (b"8BPS\0\x01" + b"\0" * 40, "PSD are not"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "EPS are not"),
    ],
)
def test_a_format_that_is_not_read_is_no_damage(tmp_path, head, says):
    path = tmp_path / "a.png"
    path.write_bytes(head)
    with pytest.raises(MediaError, match=f"^a.png: pictures in the format {says}") as caught:
        images.open_image(path, "a.png")
    assert caught.value.reason == images.UNSUPPORTED


def test_a_picture_without_a_meaning_as_such_is_refused(tmp_path):
    picture = Image.fromarray(np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8))
    with pytest.raises(MediaError, match="more than 8 bits") as caught:
        opened(picture, tmp_path / "a.tif")
    assert caught.value.reason == "no sensible picture"

"""Renders the bundled TempVS sample: small illustrated stories with events and captions.

The four sources of TempVS cannot be redistributed, so the sample tells its own stories. Everything is drawn
from tables: `CAST` (who), `ACTIONS` (what happens, and how it looks) and `STYLES` (one look for each source),
in a world of 160 x 120 units. Besides the steps of `kit` a drawing knows:

    actor x,y hand hand [foot foot]     x,y is the point on the ground between the feet
    head x,y                            a sleeping head alone
    use NAME [x,y]                      the steps of `PROPS[NAME]`
    view PLACE ZOOM x,y                 a backdrop; x,y is the middle of a close-up

The colour `accent` is the scene's own, the one that its caption names; `skin`, `coat` and `sleeve` are the
actor's. All other colours stand in `COLOURS`, and a style may replace them.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFilter, ImageOps

from hf_datasets.tempvs import rows
from tempbench_lmms.data import tables
from tempbench_lmms.tempvs.features import BENCHMARK, SCHEMA

from .kit import Colour, Point, Sample, Smooth, blocks, few_levels, media_url, mix, named, palette

SEED = 20250
SIZE = (160, 120)
BAR = 13  # height of a letterbox bar, px
LEVELS = 24  # of brightness in each colour channel


@dataclass(frozen=True)
class Panel:
    """One picture of a story with its two texts: its own ground truth."""

    actor: str  # name of the one character in the picture, a key of `CAST`
    action: str  # verb phrase in the past tense, a key of `ACTIONS`
    source: str  # the visual style, a key of `STYLES`
    colour: str  # name of the colour of the main prop, a key of `ACCENTS`
    mirrored: bool  # whether the picture is flipped left to right
    event: str  # one simple event, past tense: "Mia opened an umbrella."
    caption: str  # the same event in more words, present tense


@dataclass(frozen=True)
class Story(rows.ImageSequence):
    """Panels in an arbitrary, hence unguessable, order, and what is asked of them."""

    panels: Sequence[Panel]


# No name starts with a vowel, so captions can say "a {colour}".
ACCENTS = palette("red d8352f blue 3a6fd0 green 3f9a4a turquoise 25b3ad purple 8d4fb5 pink ee7fa8")
COLOURS = ACCENTS | palette(
    "orange ef8a22 black 24222a dark 4a4650 grey 9a9ca4 white ffffff cream f6ecd2 yellow f8d23c "
    "gold e0aa2c brown 8a5a34 tan c99a63 peach f3c6a2 cocoa 9a6444 lilac c8a6e8 lime a4cf62 aqua 7cc4e4 "
    "snow f4f8ff ice cfe6f8 sky a9dcf5 far 8fc98a ground 7fbf5c leaf 4f9e4c trunk 7d5636 water 5fb0dc "
    "road b9b3aa house e3b48c roof b5533f wall f1dcb0 floor c58f5c pane d8f0fa sand ead39c earth 80583a "
    "fire f5832a steam e8eef2"
)

# How a source looks: its line work and camera, and the colours that differ from `COLOURS`.
STYLES = blocks("""
flintstones | outline 1.7 zoom 1
pororo | shading ball zoom 1
    sky d9ecfb far e6effa ground f1f6fd leaf a9d6cf trunk b79c92 water a5d5ee road dde3ee house f5cfd6 roof
    c9a8da wall fbe6ee floor e3cfc6 sand f7ecd8 earth b89a84 snow ffffff pane e4f4fc
vist | shading top people human zoom 0.82 blur 1.6
    sky 8fb8dc far 6f8f78 ground 73904f leaf 4a6f3c trunk 5f4632 water 4f86a8 road 8f8c88 house b9977c roof
    8a4f42 wall d9cbb0 floor 9c7350 sand d2bd8c
vwp | shading side people human blur 4 muted 0.25
    sky d0a27c far 6a6a5c ground 565a40 leaf 3a4a3c trunk 40322a water 3f6a74 road 5c5654 house 6c5648 roof
    4c3834 wall 54686a floor 4a382c pane e0cf9c sand a08c68
""")

# Name | her or his | a feature that nobody else has | more of them; then what has which colour (`face` where
# a style has no human ones) | the parts of the head, from behind to the front | the coat.
CAST = blocks("""
Mia | her | the girl in the red coat | a round orange face and wears a blue hat and a red coat
    face orange skin peach coat red legs dark hair brown hat blue | round long eyes mouth bobble | narrow
Bo | his | the boy in the yellow coat | a square green face, spiky black hair and a yellow coat
    face lime skin tan coat yellow legs blue hair black | spiky square eyes mouth | narrow
Otto | his | the man with the black hat | a square pink face, a grey suit and a tall black hat
    face pink skin peach coat grey legs dark hat black | square eyes mouth tall | wide
Lila | her | the woman in the purple dress | a round lilac face, long orange hair and a purple dress
    face lilac skin peach coat purple legs black hair orange | round long eyes mouth | wide
Nils | his | the man with the white beard | a bald head, a big white beard and a brown coat
    face peach skin peach coat brown legs dark hair white | round beard eyes mouth | wide
Pip | his | the child in the green hood | a round yellow face and wears a green hooded coat
    face yellow skin tan coat green legs brown hair green | hood round eyes mouth | narrow
Zara | her | the woman with the straw hat
    a round brown face, long black hair, a white dress and a wide straw hat
    face cocoa skin cocoa coat cream legs cocoa hair black hat gold | round long eyes mouth straw | wide
Kai | his | the boy with the red cap | a square blue face, a red cap and a striped blue shirt
    face aqua skin cocoa coat blue legs dark hat red | square eyes mouth cap | narrow stripes
""")

# What `use` draws: places, things, and the parts of a character. A coat hangs above the ground; what belongs
# to the head is around its middle.
PROPS = blocks("""
meadow
    box sky -60,-60 220,92; oval far 20,98 80,24 | 150,98 70,30; box ground -60,88 220,180;
    line trunk 5 6,92 6,70; oval leaf 6,58 17,20 | 158,72 16,18
town | box sky -60,-60 220,92; box house -40,44 18,90; poly roof -50,46 -10,20 26,46; box pane 2,56 12,70;
    box house 128,36 200,90; poly roof 122,38 160,10 200,38; box pane 138,50 150,66; box road -60,88 220,180
lake
    box sky -60,-60 220,92; oval far 10,90 80,26 | 140,92 80,20; box water -60,82 220,180;
    line ice 1 10,92 40,92 | 120,114 150,114 | 70,88 96,88
forest | box sky -60,-60 220,92; box far -60,52 220,92; box ground -60,88 220,180; line trunk 6 8,92 8,50;
    poly leaf -14,72 8,10 30,72; line trunk 6 148,92 148,50; poly leaf 126,70 148,4 170,70 | 40,80 54,44 68,80
    | 94,80 106,48 120,80
room | box wall -60,-60 220,96; box floor -60,94 220,180; box white 8,26 40,62; box pane 11,29 37,59;
    line white 2 24,29 24,59
rain
    line blue 1 20,30 16,42 | 34,52 30,64 | 22,76 18,88 | 130,34 126,46 | 142,58 138,70 | 128,80 124,92
    | 38,26 34,38 | 146,92 142,104
table
    line brown 4 84,86 82,112 | 138,86 140,112; box brown 76,82 146,88
snowfield | oval snow 80,114 130,22
narrow | poly coat -8,-44 8,-44 12,-16 -12,-16
wide | poly coat -8,-44 8,-44 16,-16 -16,-16
stripes | line white 1.5 -8,-37 8,-37 x3,0,7
round | oval skin 0,0 14.5,14
square | poly skin -14,-11 14,-11 13,12 -13,12
hood | poly hair -16,-8 0,-26 16,-8 18,13 -18,13
spiky | poly hair -14,-4 -19,-16 -9,-14 -7,-24 1,-15 9,-24 10,-14 19,-15 14,-4
beard | poly hair -14,2 -5,5 5,5 14,2 0,24
long | dome hair 0,-4 15,12
mane | oval hair 0,6 18,21
tall | poly hat -11,-27 11,-27 10,-7 -10,-7; poly hat -19,-9 19,-9 19,-5 -19,-5
bobble | dome hat 0,-6 15,15; oval white 0,-23 5,5
cap | dome hat 0,-6 15,15; poly hat 2,-9 24,-7 23,-4 2,-4
straw | dome hat 0,-6 11,15; oval hat 0,-6 24,4.5
mouth | line dark 1.2 -2,7 2,8.5 6,7
closed | line black 1.2 -7,0 -1,0 x2,11,0
human | oval black -3.2,-1 1.7,2 x2,11,0
eyes | oval white -4,-1 3.6,4.2; oval black -3.2,-1 1.7,2; oval white 7,-1 3.6,4.2; oval black 7.8,-1 1.7,2
""")

# What happens | the caption; then the place, middle and zoom of the close-up, and the drawing.
ACTIONS = blocks("""
opened an umbrella | It starts to rain on the meadow, so {who} opens {her} big {colour} umbrella.
    view meadow 1.15 78,58; use rain; actor 66,116 82,76 48,94; line dark 2 83,88 83,40;
    dome accent 80,46 42,27; line dark 1 80,20 64,45 | 80,20 96,45
kicked a ball | On the green meadow {who} swings {her} leg and kicks a {colour} ball through the air.
    view meadow 1.15 76,68; actor 50,106 28,72 70,66 44,106 76,98; line white 2 84,96 94,90 | 84,104 96,98;
    oval accent 114,86 14,14; poly white 114,78 121,84 118,92 110,92 107,84
rode a bicycle | With both hands on the handlebar, {who} rides a {colour} bicycle down the street.
    view town 1.1 78,67; ring black 3 48,96 15,15 x2,60,0; line accent 3 48,96 66,76 98,74 78,96 48,96
    | 78,96 66,76 | 108,96 98,62; actor 66,98 98,62 96,64 80,100 72,94; line dark 3 92,60 104,60
planted a tree | {who} digs a hole with a spade and plants a young tree with {colour} blossoms.
    view meadow 1.15 80,66; oval earth 112,107 26,7; line brown 4 112,106 112,60; oval leaf 112,52 19,17;
    oval accent 103,48 3,3 | 113,42 3,3 | 122,52 3,3 | 111,57 3,3; actor 50,108 74,76 72,62;
    line tan 3 74,54 74,98; poly grey 68,94 80,94 74,110
lit a candle | The room is dim, and {who} lights a thick {colour} candle with a match.
    view room 1.3 84,64; use table; oval cream 114,46 20,22; box accent 106,56 122,82; oval fire 114,46 6,10;
    oval yellow 114,48 3,6; actor 54,112 88,58 38,92; line tan 2 88,58 106,46; oval fire 106,45 3,4
flew a kite | The wind is strong today, and {who} flies a {colour} kite on a long string.
    view meadow 1.15 80,64; line white 1 60,66 116,46; line yellow 2 116,66 108,76 118,84 110,92;
    actor 42,110 62,66 26,88; poly accent 120,24 140,44 116,68 98,44; line white 1 120,24 116,68
    | 98,44 140,44
fished from a boat | Out on the calm lake {who} holds a long rod and catches a fish from a {colour} boat.
    view lake 1.2 78,76; line tan 2 78,80 126,44; line white 1 126,44 126,74; oval grey 126,80 5,8;
    poly grey 126,86 120,94 132,94; actor 58,114 80,78 42,90 52,106 64,106;
    poly accent 20,92 112,92 98,112 34,112; line white 2 22,96 110,96
built a snowman | {who} gives the big snowman a {colour} scarf and pats the snow firm.
    view meadow 1.15 80,64; use snowfield; oval white 110,96 21,17 | 110,70 15,14 | 110,48 11,11;
    box accent 100,57 121,62; box black 102,34 118,39 | 105,26 115,36; poly fire 110,48 124,51 110,53;
    oval black 106,45 2,2 x2,8,0 | 110,70 2,2 x2,0,8; actor 54,110 92,70 90,88
painted a wall | With a wide roller {who} paints the old wall in bright {colour}.
    view town 1.2 80,67; box cream 76,28 150,106; poly accent 90,36 142,36 142,84 128,90 118,80 104,88 90,76;
    actor 46,110 76,72 32,90; line dark 2 76,72 92,58; box white 90,44 98,72; box grey 78,96 94,112;
    oval accent 86,96 8,3
ate an apple | {who} has found a {colour} apple and takes a big bite of it.
    view meadow 1.4 70,64; actor 58,112 84,76 42,92; oval accent 84,60 15,14; oval cream 71,58 5,7;
    line brown 2 85,47 87,40; poly leaf 87,44 94,37 99,42
climbed a ladder | Step by step {who} climbs the {colour} ladder that leans against the house.
    view town 1.15 92,62; box cream 70,24 152,106; box pane 122,40 142,62; line accent 3 82,22 78,112
    | 114,22 118,112 | 82,34 114,34 | 81,50 115,50 | 80,66 116,66 x2,0,16 | 79,98 117,98;
    actor 98,98 83,48 113,40 90,98 106,82
watered the flowers | The {colour} flowers are thirsty, so {who} waters them with a can.
    view meadow 1.2 80,67; line leaf 3 102,108 102,86 | 118,108 118,84 | 134,108 134,86;
    oval accent 102,84 7,7 | 118,80 7,7 | 134,84 7,7; oval yellow 102,84 3,3 | 118,80 3,3 | 134,84 3,3;
    actor 46,110 68,66 30,90; ring grey 3 72,64 8,8; poly grey 70,58 92,62 90,80 68,76;
    line grey 4 90,74 108,58; line blue 2 110,60 114,72 | 112,58 124,70 | 108,62 105,74
read a book | In the quiet room {who} reads a thick {colour} book and turns a page.
    view room 1.25 80,70; box brown 120,30 148,94; box red 123,36 128,52; box blue 129,36 134,52;
    box green 138,36 143,52; box gold 124,60 130,76; box red 134,60 140,76; actor 76,114 52,84 100,84;
    poly accent 46,66 76,72 106,66 106,94 76,100 46,94; poly white 50,64 76,70 76,94 50,88
    | 102,64 76,70 76,94 102,88; line grey 1 54,71 72,75 x2,0,7 | 98,71 80,75 x2,0,7
slept in a tent | Deep in the forest {who} sleeps soundly in a small {colour} tent.
    view forest 1.2 80,66; poly accent 22,108 80,26 138,108; poly black 50,108 80,58 110,108;
    oval aqua 80,110 30,9; head 80,92; line white 2 112,40 122,40 112,50 122,50 | 128,26 136,26 128,34 136,34
waved a flag | In the middle of the street {who} waves a large {colour} flag.
    view town 1.2 82,62; actor 52,110 76,70 34,88; line brown 3 76,88 76,26;
    poly accent 77,26 100,32 120,26 140,32 140,64 120,58 100,64 77,58;
    poly white 77,38 100,44 120,38 140,44 140,52 120,46 100,52 77,46
blew up a balloon | With round cheeks {who} blows up a huge {colour} balloon.
    view room 1.25 78,64; actor 46,112 66,62 30,90; poly accent 64,58 80,50 80,66; oval accent 104,58 27,24;
    oval white 112,48 5,4
played the guitar | Under the trees {who} plays a song on a {colour} guitar.
    view forest 1.25 78,70; actor 70,110 70,110 70,110; line brown 5 80,82 122,56; box dark 118,48 130,60;
    oval accent 58,90 17,15 | 76,82 13,12; oval black 68,86 5,5; line white 1 56,92 120,57;
    line tan 3 62,92 74,84; line sleeve 6 84,72 100,70; oval skin 102,70 4,4; line sleeve 6 60,72 50,82 64,86;
    oval skin 66,86 4,4
beat a drum | Loud sounds fill the street while {who} beats a {colour} drum with two sticks.
    view town 1.2 80,67; actor 54,110 84,64 78,78; box accent 88,82 136,110; oval white 112,82 24,7;
    line gold 2 88,88 100,108 112,90 124,108 136,88; line tan 3 84,64 108,78 | 78,78 100,82;
    line yellow 2 112,70 114,60 | 122,72 130,64
cut a cake | A cake with {colour} icing stands on the table, and {who} cuts it with a long knife.
    view room 1.25 84,66; use table; box cream 88,62 138,82; box accent 88,56 138,66;
    oval red 96,53 4,4 x3,17,0; line cream 3 100,66 100,70 | 120,66 120,72; actor 52,112 82,54 36,92;
    poly grey 82,46 112,62 104,68 80,54; line black 4 76,46 84,52
took a photo | The lake looks lovely, and {who} takes a photo with a {colour} camera.
    view lake 1.3 78,64; oval sand 60,112 90,18; actor 54,110 72,72 94,70; box accent 70,50 102,72
    | 80,44 92,52; oval black 88,61 9,9; oval aqua 88,61 5,5;
    poly yellow 114,28 118,38 130,36 122,45 130,54 118,52 114,62 110,52 100,54 106,45 100,36 110,38
swept the floor | There is dust everywhere, so {who} sweeps the floor with a {colour} broom.
    view room 1.15 80,70; oval grey 122,106 8,5 | 134,102 5,4 | 130,110 7,4; actor 54,110 74,66 70,82;
    line accent 3 66,46 96,92; poly yellow 90,90 102,86 114,104 92,112; line brown 2 90,90 102,86
drove a car | {who} sits at the wheel and drives a shiny {colour} car through the town.
    view town 1.15 80,68; poly accent 46,74 56,36 108,36 120,74; poly pane 54,74 62,42 102,42 112,74;
    actor 78,114 96,74 98,76 72,94 84,94; box accent 18,72 146,100; line dark 2 100,66 96,78;
    line black 1 64,74 64,98 x2,46,0; oval black 44,100 13,13; oval grey 44,100 6,6; oval black 118,100 13,13;
    oval grey 118,100 6,6; oval yellow 142,80 4,5
fed the ducks | From the shore of the lake {who} feeds the hungry ducks from a {colour} bag.
    view lake 1.1 86,68; oval sand 30,112 56,18; oval cream 106,98 14,8 | 117,86 7,7;
    poly fire 123,85 132,88 123,90; oval black 118,84 1,1; oval cream 134,108 14,8 | 144,96 7,7;
    poly fire 150,95 158,98 150,100; oval black 145,94 1,1; actor 44,108 70,66 30,82; box accent 22,80 38,98;
    oval brown 80,68 2,2 | 88,72 2,2 | 94,80 2,2 | 84,80 2,2
walked a dog | {who} walks a spotted dog along the street on a {colour} lead.
    view town 1.15 82,68; line accent 2 66,80 112,84; line cream 4 98,96 96,110 | 122,96 124,110
    | 92,90 82,80; oval cream 108,94 19,10; oval brown 104,91 6,4; oval cream 124,80 11,10;
    oval brown 117,80 4,9; oval black 127,78 2,2 | 135,82 3,2; line accent 3 112,84 120,90;
    actor 46,110 66,80 30,84 38,110 56,108
swam in the lake | The water is warm, and {who} swims in the lake inside a {colour} ring.
    view lake 1.25 78,80; actor 78,130 46,66 110,66 74,112 82,112; oval accent 78,107 40,12;
    oval water 78,102 25,5; box coat 67,88 89,104; line white 4 46,104 50,112 | 110,104 106,112
    | 78,113 78,117; oval white 30,96 6,4 | 24,85 3,3 | 126,96 6,4 | 133,85 3,3; line ice 1 10,114 30,114
    | 124,114 148,114
jumped over a fence | With a mighty leap {who} jumps over the {colour} fence at the edge of the meadow.
    view meadow 1.1 80,62; line accent 5 40,84 40,112 x5,20,0; line accent 4 30,92 130,92 x2,0,12;
    actor 78,94 50,40 106,40 56,80 104,78
rocked on a swing | {who} holds the two ropes and rocks to and fro on a {colour} swing.
    view forest 1.15 82,66; line trunk 5 44,108 54,22 | 122,108 112,22 | 50,24 116,24;
    line cream 2 68,24 66,90 | 96,24 98,90; actor 82,112 66,64 98,64 100,104 88,106; box accent 62,88 102,94
poured a cup of tea | Steam rises from the {colour} teapot while {who} pours a cup of hot tea.
    view room 1.3 86,64; use table; actor 50,112 74,58 34,92; ring accent 3 80,56 8,8; oval accent 96,54 16,13
    | 94,41 4,3; line accent 4 108,58 120,62; line brown 2 121,64 121,74;
    poly white 110,70 134,70 130,82 114,82; ring white 2 136,75 4,4; line steam 2 130,64 133,56 130,48
chopped wood | {who} swings an axe with a {colour} handle and chops wood in the forest.
    view forest 1.2 80,66; box brown 94,86 132,112; oval tan 113,86 19,6; poly tan 100,84 106,56 112,60 110,84
    | 116,84 118,58 126,56 126,84; line accent 4 58,44 92,34; poly grey 84,22 104,28 100,52 88,42;
    actor 50,110 72,42 62,46; line cream 2 110,50 106,44 | 122,50 128,44
pushed a wheelbarrow | {who} pushes a {colour} wheelbarrow full of pumpkins over the grass.
    view meadow 1.15 84,70; oval fire 98,68 11,10 | 118,66 12,11 | 108,60 10,9; line leaf 3 108,52 109,47;
    line brown 4 66,82 120,96 | 90,88 88,110; poly accent 80,72 138,72 124,94 92,94; oval black 124,102 10,10;
    oval grey 124,102 4,4; actor 46,110 68,82 66,86 36,110 58,110
pulled a sled | Through the deep snow {who} pulls a wooden sled with a {colour} seat.
    view forest 1.15 84,70; use snowfield; line dark 2 64,78 90,92; line brown 3 86,106 90,94 94,108 142,108
    | 100,94 100,108 x2,32,0; box accent 88,86 142,94; actor 46,108 64,78 62,80 34,108 54,106
threw a paper plane | {who} throws a {colour} paper plane high above the street.
    view town 1.2 82,66; actor 44,110 68,54 28,88; line white 2 72,54 78,52 | 84,50 90,48;
    poly accent 96,50 144,30 118,62; poly white 96,50 144,30 110,54; poly accent 110,54 144,30 112,66
juggled four balls | On the square {who} juggles four {colour} balls and never drops one.
    view town 1.15 80,64; actor 80,116 52,78 108,78; oval accent 48,62 8,8 | 58,36 8,8 | 102,36 8,8
    | 112,62 8,8; line white 1 52,52 55,46 | 108,52 105,46
opened a present | {who} lifts the lid and opens a present wrapped in {colour} paper.
    view room 1.25 82,70; poly yellow 98,66 94,54 104,60 110,48 116,60 126,54 122,66;
    box accent 86,74 134,110; box white 106,74 114,110; poly accent 82,62 128,38 132,46 86,70;
    poly white 100,52 108,48 112,56 104,61; actor 50,110 84,66 82,84; oval white 104,44 6,4 | 96,48 5,5
blew soap bubbles | {who} blows soap bubbles through a {colour} loop and the air sparkles.
    view meadow 1.25 82,64; actor 42,110 62,66 26,88; line accent 2 62,72 68,58; ring accent 2 70,54 5,6;
    oval ice 88,56 8,8 | 104,40 11,11 | 112,66 12,12 | 132,50 9,9 | 134,78 8,8 | 92,80 7,7;
    oval white 100,36 3,3 | 108,61 3,3 | 129,47 2,2 | 85,53 2,2
lifted a barbell | {who} breathes in and lifts a heavy barbell with {colour} discs overhead.
    view room 1.15 80,56; actor 80,118 58,38 102,38; line grey 3 24,34 136,34; box accent 30,18 38,50
    | 40,23 46,45 | 122,18 130,50 | 114,23 120,45
roasted a sausage | By the campfire {who}, in a {colour} scarf, roasts a sausage on a stick.
    view forest 1.25 80,70; line brown 5 96,110 132,102 | 132,110 96,102;
    poly fire 96,104 100,84 108,92 114,70 120,90 128,82 132,104;
    poly yellow 106,104 110,92 114,86 120,94 122,104; actor 48,110 70,78 32,90; box accent 38,64 58,70
    | 50,66 56,82; line tan 2 66,80 112,58; line brown 9 106,62 122,54
licked an ice cream | On the sunny shore {who} licks an ice cream with two {colour} scoops.
    view lake 1.35 72,64; oval sand 60,112 90,18; poly gold 76,68 100,68 88,98; actor 54,112 86,84 38,92;
    oval accent 88,60 14,12 | 87,44 11,10; oval red 87,32 4,4; line red 3 68,57 75,59;
    line brown 1 80,72 90,92 | 96,72 86,92
took a bath | Up to the neck in foam, {who} takes a bath in a {colour} tub.
    view room 1.2 80,74; actor 66,124 96,66 38,70 60,100 72,100; oval white 40,84 10,7 | 58,86 12,8
    | 80,84 11,8 | 102,85 12,8 | 122,84 8,6; poly accent 22,86 138,86 128,112 32,112;
    line white 3 20,87 140,87; line grey 4 132,84 132,60 122,60 122,66; oval ice 108,62 5,5 | 118,50 4,4
posted a letter | {who} posts a letter in the {colour} box at the corner.
    view town 1.25 82,68; line dark 5 116,86 116,112; box accent 94,50 138,92; dome accent 116,51 22,14;
    box black 100,58 132,63; actor 52,110 80,66 36,88; poly white 76,52 106,56 104,72 74,68;
    line grey 1 76,52 89,63 106,56
""")


class _Stage(Smooth):
    """A canvas that draws the steps of a picture in one style and through one camera."""

    def __init__(self, panel: Panel) -> None:
        (style, *changed), (*_, look) = STYLES[panel.source], CAST[panel.actor]
        self.style = named(style)
        colours, *parts = look.split(" | ")
        self.head_parts, self.coat_parts = map(str.split, parts)
        known = COLOURS | palette(" ".join(changed))
        worn = {part: known[name] for part, name in named(colours).items()}
        worn |= {"sleeve": mix(worn["coat"], (0, 0, 0), 0.16), "accent": ACCENTS[panel.colour]}
        if "people" not in self.style:
            worn["skin"] = worn["face"]
        super().__init__(SIZE, "black", known | worn)
        self.outline, self.shading = float(self.style.get("outline", 0)), self.style.get("shading")
        self.backdrop = True

    def view(self, points: list[Point], place: str, close: str) -> None:
        """Takes the camera to where the style has it, and draws the place."""
        (x, y), zoom = ((80.0, 60.0), self.style["zoom"]) if "zoom" in self.style else (points[0], close)
        self.scale = float(zoom) * self.FACTOR
        self.corner = (x - SIZE[0] / 2 / float(zoom), y - SIZE[1] / 2 / float(zoom))
        self.use([], place)
        if blur := self.style.get("blur"):
            self.image.paste(self.image.filter(ImageFilter.GaussianBlur(float(blur) * self.FACTOR)))
        self.backdrop = False

    def place(self, points: Sequence[Point]) -> list[Point]:
        return [((x - self.corner[0]) * self.scale, (y - self.corner[1]) * self.scale) for x, y in points]

    def ink(self, name: str) -> Colour:
        """Returns the colour of a name, as the style shows it."""
        colour = super().ink(name)
        if muted := self.style.get("muted"):
            grey = round(0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2])
            colour = mix(mix(colour, (grey, grey, grey), float(muted)), (16, 34, 40), 0.16)
        return colour

    def use(self, points: list[Point], name: str) -> None:
        self.play(" ".join(PROPS[name]), at=points[0] if points else (0, 0))

    def poly(self, points: list[Point], names: str) -> None:
        """Fills a polygon, with a gradient and an outline where the style has them."""
        colour, corners = self.ink(names), self.place(points)
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        left, top = math.floor(min(xs)), math.floor(min(ys))
        width, height = math.ceil(max(xs)) - left + 1, math.ceil(max(ys)) - top + 1
        # Gradients on tiny shapes are invisible but cost bytes in the PNG.
        if not self.shading or min(width, height) < 8 * self.FACTOR:
            self.pen.polygon(corners, fill=colour)
        else:
            mask = Image.new("L", (width, height))
            ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in corners], fill=255)
            shades = self._gradient(mask.size)
            light = Image.new("RGB", shades.size, mix(colour, (255, 255, 255), 0.22))
            dark = Image.new("RGB", shades.size, mix(colour, (30, 30, 70), 0.22))
            filling = Image.composite(dark, light, shades).resize(mask.size, Image.Resampling.NEAREST)
            self.image.paste(filling, (left, top), mask)
        if self.outline and not self.backdrop:
            self._stroke((0, 0, 0), self.outline * self.FACTOR, [*corners, corners[0]])

    def _gradient(self, size: tuple[int, int]) -> Image.Image:
        """Returns shades of a size; where they are alike along a side, one pixel along it."""
        width, height = size
        if self.shading == "side" and not self.backdrop:
            return Image.linear_gradient("L").transpose(Image.Transpose.ROTATE_90).resize((width, 1))
        if self.shading == "ball" and not self.backdrop:
            x, y = round(0.65 * width), round(0.7 * height)
            ball = Image.radial_gradient("L").resize((2 * width, 2 * height))
            return ball.crop((x, y, x + width, y + height))
        return Image.linear_gradient("L").resize((1, height))

    def line(self, points: list[Point], name: str, width: str = "1") -> None:
        """Draws a line with round ends, outlined where the style is."""
        path = self.place(points)
        if self.outline and not self.backdrop and float(width) >= 2:
            self._stroke((0, 0, 0), (float(width) + 2 * self.outline - 1) * self.FACTOR, path)
        self._stroke(self.ink(name), float(width) * self.scale, path)

    def _stroke(self, colour: Colour, width: float, path: list[Point]) -> None:
        self.pen.line(path, fill=colour, width=round(width), joint="curve")
        for x, y in (path[0], path[-1]):
            self.pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=colour)

    def actor(self, points: list[Point]) -> None:
        """Draws a character by the point between the feet, the hands and the feet."""
        (x, ground), *limbs = points
        hip, shoulder = ground - 20, ground - 44
        head = [(x, shoulder - 12)]
        if "long" in self.head_parts:  # behind the body, else it reads as a beard
            self.use(head, "mane")
        feet = limbs[2:] or [(x - 6, ground), (x + 6, ground)]
        for side, (fx, fy) in zip((-5, 5), feet, strict=True):
            leg = f"line legs 6 {x + side},{hip} {fx},{fy - 3}"
            self.play(f"{leg}; oval black {fx + 2},{fy - 2} 6,3.5")
        for part in self.coat_parts:
            self.use([(x, ground)], part)
        for side, (hx, hy) in zip((8, -8), limbs[:2], strict=True):
            self.play(f"line sleeve 6 {x + side},{shoulder + 4} {hx},{hy}; oval skin {hx},{hy} 4.5,4.5")
        self.head(head, self.style.get("people", "eyes"))

    def head(self, points: list[Point], eyes: str = "closed") -> None:
        """Draws the actor's head, hair and hat."""
        for part in self.head_parts:
            self.use(points, eyes if part == "eyes" else part)


def render(panel: Panel) -> Image.Image:
    """Draws a panel, the same for equal ones (edges may differ between Pillow releases)."""
    image = _Stage(panel).play(" ".join(ACTIONS[panel.action][1:])).reduce(_Stage.FACTOR)
    if panel.mirrored:
        image = ImageOps.mirror(image)
    if panel.source == "vist":
        image = _grain(image, f"{panel.actor} {panel.action}")
    image = few_levels(image, LEVELS)
    if panel.source == "vwp":
        image.paste((0, 0, 0), (0, 0, SIZE[0], BAR))
        image.paste((0, 0, 0), (0, SIZE[1] - BAR, *SIZE))
    return image


def _grain(image: Image.Image, seed: str) -> Image.Image:
    """Adds the coarse texture of a compressed photograph: blocks of 4 px, three levels of brightness."""
    width, height = SIZE[0] // 4, SIZE[1] // 4
    levels = bytes(random.Random(seed).choices((0, 12, 24), (3, 1, 1), k=width * height))
    grain = Image.frombytes("L", (width, height), levels).resize(SIZE, Image.Resampling.NEAREST)
    return Image.composite(Image.new("RGB", SIZE, (20, 20, 20)), image, grain)


# How many panels; a multiple of five stories, so that each letter is right as often in the ordering tests.
_LENGTHS = {"flintstones": [5] * 8, "pororo": [5] * 8, "vist": [5] * 7, "vwp": [5, 5, 5, 5, 5, 6, 9]}


def stories() -> list[Story]:
    """Returns 30 stories of five panels each, but for two in the "vwp" style with six and nine.

    The actions of a story, their order and their actors are drawn at random with a fixed seed, so nothing but
    the pictures tells the order.
    """
    made: list[Story] = []
    for source in STYLES:
        rng = random.Random(f"mini stories {source}")
        deck: list[str] = []
        for number, length in enumerate(_LENGTHS[source]):
            if len(deck) < length:
                deck = list(ACTIONS)
                rng.shuffle(deck)
            actions, deck = deck[:length], deck[length:]
            made.append(_story(source, f"mini_{source}_{number}", SEED + len(made), actions, rng))
    return made


def _story(source: str, name: str, seed: int, actions: list[str], rng: random.Random) -> Story:
    """Casts two or three characters for the actions and writes the texts."""
    cast = rng.sample(sorted(CAST), rng.choice((2, 3)))
    actors = cast + rng.choices(cast, k=len(actions) - len(cast))
    rng.shuffle(actors)
    by_name = "people" not in STYLES[source][0]
    panels = []
    for actor, action in zip(actors, actions, strict=True):
        (her, phrase, *_), colour, mirrored = CAST[actor], rng.choice(sorted(ACCENTS)), rng.random() < 0.5
        who = actor if by_name and rng.random() < 0.7 else phrase
        caption = ACTIONS[action][0].format(who=who, her=her, colour=colour)
        # Not str.capitalize, which would lower the letters of a name inside the sentence.
        texts = (text[0].upper() + text[1:] for text in (f"{who} {action}.", caption))
        panels.append(Panel(actor, action, source, colour, mirrored, *texts))
    several: Any = rows.sample_groups
    return Story(
        source,
        name,
        [media_url(BENCHMARK, f"{source}/{name}_{i}.png") for i in range(1, len(panels) + 1)],
        [panel.event for panel in panels],
        [panel.caption for panel in panels],
        " ".join(f"{actor} has {CAST[actor][2]}." for actor in cast) if by_name else "",
        several(len(panels), 2, 2, seed),
        several(len(panels), 3, 1, seed),
        panels,
    )


def write(root: Path) -> tables.Row:
    """Renders the pictures and writes the tables under `root`; returns the manifest."""
    made, sample = stories(), Sample(BENCHMARK, root)
    for story in made:
        for url, panel in zip(story.images, story.panels, strict=True):
            sample.picture(url, render(panel))
    names = {panel.actor for story in made if story.characters for panel in story.panels}
    for name, table in rows.build(made, lambda event: event.split()[0] in names).items():
        sample.table(name, table, SCHEMA)
    return sample.finish()

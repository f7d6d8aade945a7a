"""The plans of the bundled MATEO sample. A step needs another one exactly where it takes that step's outcome.

So pictures, texts and graph say the same: the picture of a step shows what must be there already, its text
names it, and the edges are read off from what goes in. Steps are listed in an order in which the plan can be
carried out; neighbours often have nothing to do with each other.
"""

# A table reads better with its rows whole.
# ruff: noqa: E501

# A plan's title, then its steps: name | text | tool | takes; takes | makes
PLANS = """
Vegetable soup
    boil | Bring the water to a boil in the pot. | heat | glass ice | pot ice
    carrots | Cut the carrots into small cubes. | cut | stick orange,orange | board orange
    garlic | Chop the garlic. | cut | fruit white | board white
    leek | Slice the leek into rings. | cut | stick green | board green
    bread | Roast the slices of bread in the pan. | heat | plank tan | pan brown
    add_carrots | Tip the cubes of carrot into the boiling water. | join | =boil; =carrots | pot ice,orange
    rub | Rub the roasted slices of bread with the chopped garlic. | join | =bread; =garlic | pan brown,white
    add_leek | Add the sliced leek to the pot in which the carrots are cooking. | join | =add_carrots; =leek | pot ice,orange,green
    serve | Ladle the soup with carrots and leek onto plates and lay the garlic bread beside it. | join | =add_leek; =rub | plate orange,green,brown
Layer cake
    sift | Sift the flour into the bowl. | stir | bag white | bowl white
    eggs | Beat the eggs in the tall glass. | stir | fruit cream,cream | glass yellow
    cherries | Halve the cherries. | cut | fruit red,red,red | board red
    batter | Stir the beaten eggs into the sifted flour. | stir | =sift; =eggs | bowl yellow
    whip | Whip the cream until it is stiff. | stir | glass white | bowl ice
    chocolate | Melt the chocolate in the pot. | heat | plank dark | pot dark
    bake | Bake the batter into a golden sponge. | heat | =batter | cake tan
    spread | First spread the whipped cream on the golden sponge. | join | =bake; =whip | cake tan,white
    cover | Pour the melted chocolate over the sponge with cream. | join | =spread; =chocolate | cake tan,white,dark
    top | Lastly put the cherry halves on the chocolate covering. | join | =cover; =cherries | cake tan,white,dark,red
Fruit salad
    apples | Dice the red apples. | cut | fruit red,red | board red
    juice | Press the lemons into the glass. | stir | fruit yellow,yellow | glass yellow
    nuts | Roast the nuts in the pan. | heat | bag brown | pan tan,brown
    plums | Dice the purple plums. | cut | fruit purple,purple | board purple
    honey | Stir honey into the pressed lemon juice. | stir | =juice; bag orange | glass yellow,orange
    mix | Put the diced apples and the diced plums into one bowl. | join | =apples; =plums | bowl red,purple
    dress | Pour the lemon juice with honey over the bowl of apples and plums. | join | =mix; =honey | bowl red,purple,orange
    sprinkle | Finally sprinkle the dressed fruit with the roasted nuts. | join | =dress; =nuts | bowl red,purple,orange,brown
Pizza
    dough | Knead flour and water into a dough. | stir | bag white; glass ice | bowl cream
    tomatoes | Chop the tomatoes. | cut | fruit red,red | board red
    olives | Slice the olives. | cut | fruit dark,dark,dark | board dark
    sauce | Simmer the chopped tomatoes into a sauce. | heat | =tomatoes | pot red
    peppers | Cut the peppers into squares. | cut | fruit green,green | board green
    base | Roll out the dough into a round base. | stir | =dough | disc cream
    spread | Spread the tomato sauce on the round base. | join | =base; =sauce | disc cream,red
    scatter | Scatter the sliced olives over the base with sauce. | join | =spread; =olives | disc cream,red,dark
    finish | Then lay the squares of pepper between the olives on the pizza and bake it. | heat | =scatter; =peppers | disc tan,red,dark,green
Painted banner
    orange | Mix red and yellow paint into orange. | stir | glass red; glass yellow | bowl orange
    wash | Wash the cloth and stretch it. | join | bag grey | sheet white
    green | Mix blue and yellow paint into green. | stir | glass blue; glass yellow | bowl green
    first | Paint the left half of the stretched cloth with the mixed orange. | paint | =wash; =orange | sheet orange,white
    olive | Stir some of the mixed orange into the mixed green, which gives olive. | stir | =orange; =green | bowl olive
    second | Paint the right half of the cloth, beside the orange half, with the mixed green. | paint | =first; =green | sheet orange,green
    border | Paint an olive stripe between the orange and the green half of the cloth. | paint | =second; =olive | sheet orange,olive,green
Brick castle
    left | Build the left tower from three red bricks. | join | tower red | tower red,red,red
    right | Build the right tower from three blue bricks. | join | tower blue | tower blue,blue,blue
    wall | Set white bricks beside each other as a wall. | join | tower white | wall white,white
    left_roof | Put a yellow brick on top of the red tower. | join | =left; tower yellow | tower red,red,red,yellow
    gate | Set a brown gate into the white wall. | join | =wall; plank brown | wall white,brown,white
    right_roof | Put a green brick on top of the blue tower. | join | =right; tower green | tower blue,blue,blue,green
    side | Join the red tower with the yellow top to the wall with the gate. | join | =left_roof; =gate | wall red,white,brown,white
    castle | Join the blue tower with the green top to the other end of the wall that has the red tower. | join | =side; =right_roof | wall red,white,brown,white,blue
Bead necklace
    reds | Thread three red beads on a cord. | join | beads red | strand red,red,red
    blues | Thread three blue beads on a cord. | join | beads blue | strand blue,blue,blue
    paint | Paint the wooden beads yellow. | paint | beads tan | beads yellow
    purples | Thread two purple beads on a cord. | join | beads purple | strand purple,purple
    yellows | Thread the beads that were painted yellow on a cord. | join | =paint | strand yellow,yellow
    warm | Tie the cord with the yellow beads to the cord with the red beads. | join | =reds; =yellows | strand red,red,red,yellow,yellow
    cool | Tie the cord with the purple beads to the cord with the blue beads. | join | =blues; =purples | strand blue,blue,blue,purple,purple
    close | Tie the red-yellow strand and the blue-purple strand into a ring. | join | =warm; =cool | ring red,red,red,yellow,yellow,blue,blue,blue,purple,purple
Toy train
    saw | Saw the plank into two wagon bodies. | saw | plank tan | plank tan,tan
    wheels | Paint the wheels black. | paint | wheels tan,tan | wheels black,black
    sand | Fill a bag with yellow sand. | stir | glass yellow | bag yellow
    engine | Build the red engine on the wheels that were painted black. | join | =wheels; plank red | train red,grey
    green | Paint the front one of the sawn wagon bodies green. | paint | =saw | plank green
    blue | Paint the rear one of the sawn wagon bodies blue. | paint | =saw | plank blue
    load | Load the sand from the filled bag onto the wagon body that was painted green. | join | =green; =sand | train green,yellow
    first | Couple the green wagon with sand to the red engine. | join | =engine; =load | train red,grey,green,yellow
    second | Couple the wagon body that was painted blue behind the green wagon of the train. | join | =first; =blue | train red,grey,green,yellow,blue,white
Window box
    box | Screw brown boards together to a box. | join | plank brown,brown | planter brown
    earth | Mix earth and sand in the tub. | stir | bag dark; bag yellow | pot olive
    tulips | Dig up a red tulip. | cut | planter grey,dark,red | flower red
    fill | Fill the brown box with the mixed earth. | join | =box; =earth | planter brown,olive
    daisies | Dig up a yellow daisy. | cut | planter grey,dark,yellow | flower yellow
    first | Plant the red tulip that was dug up in the filled box. | join | =fill; =tulips | planter brown,olive,red
    second | Plant the yellow daisy that was dug up in the box, beside the tulip. | join | =first; =daisies | planter brown,olive,red,yellow
Berry glass
    crush | Crush the biscuits into crumbs. | stir | disc tan | bowl tan
    berries | Boil the berries in the pot. | heat | fruit purple,purple,purple | pot purple
    cream | Whip the cream until it is stiff. | stir | glass white | bowl white
    line | Fill the biscuit crumbs into the glass. | join | =crush | glass tan
    pour | Pour the boiled berries on the crumbs in the glass. | join | =line; =berries | glass tan,purple
    crown | Crown the berries in the glass with the whipped cream. | join | =pour; =cream | glass tan,purple,white
Toy robot
    body | Cut the body out of grey tin. | cut | sheet grey | robot grey
    head | Cut the head out of blue tin. | cut | sheet blue | robot white,blue
    arms | Saw the arms from the yellow stick. | saw | stick yellow | robot white,white,yellow
    lamp | Blow a red lamp from molten glass. | heat | glass red | fruit red
    legs | Saw the legs from the green stick. | saw | stick green | robot white,white,white,green
    screw_head | Screw the blue head onto the grey body. | join | =body; =head | robot grey,blue
    wire | Solder a wire to the red lamp. | heat | =lamp; strand orange | strand orange,red
    upper | Fix the yellow arms to the body that has the blue head. | join | =screw_head; =arms | robot grey,blue,yellow
    stand | Set the body with head and arms on the green legs. | join | =upper; =legs | robot grey,blue,yellow,green
    light | Fit the wired red lamp into the chest of the standing robot. | join | =stand; =wire | robot grey,blue,yellow,green,red
Dumplings with dip
    dough | Knead flour and water into a dough. | stir | bag white; glass ice | bowl cream
    cabbage | Shred the cabbage. | cut | fruit green | board green
    ginger | Grate the ginger. | cut | stick yellow | board yellow
    chilli | Mince the chilli. | cut | stick red | board red
    filling | Mix the shredded cabbage with the grated ginger. | stir | =cabbage; =ginger | bowl green,yellow
    roll | Roll out the dough into thin wrappers. | stir | =dough | disc cream
    steam | Heat water in the steamer. | heat | glass ice | pot ice
    dip | Stir the minced chilli into the soy sauce. | stir | =chilli; glass brown | glass brown,red
    fold | Fold the cabbage and ginger filling into the wrappers. | join | =filling; =roll | parcel cream,cream,cream
    cook | Cook the folded dumplings in the hot steamer. | heat | =fold; =steam | pot ice,cream
    plate | Lift the cooked dumplings out of the steamer onto the plate. | join | =cook | plate cream,cream
    serve | Set the chilli dip beside the dumplings on the plate. | join | =plate; =dip | plate cream,cream,red
Birdhouse
    floor | Saw the floor from the brown board. | saw | plank brown | house brown
    walls | Saw the walls from the tan board. | saw | plank tan | house white,tan
    perch | Carve a perch from the yellow stick. | cut | stick yellow | house white,white,white,yellow
    paint | Paint the sawn walls blue. | paint | =walls | house white,blue
    roof | Bend the roof from a red sheet. | join | sheet red | house white,white,red
    nail | Nail the blue walls to the brown floor. | join | =floor; =paint | house brown,blue
    cover | Put the red roof on the blue walls that stand on the floor. | join | =nail; =roof | house brown,blue,red
    fit | Fit the carved perch under the hole of the house with the red roof. | join | =cover; =perch | house brown,blue,red,yellow
"""

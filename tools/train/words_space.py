"""Word lists of the stories in space: robots, crews, ships, worlds, parts, times.

Only data lives here, in the shapes of words.py; space.py says how each table is used. Words are left out that have a
token which the first corpus never has, as " engine" and " Earth": such tokens have nearly the same embeddings, which an
adapter of the linear layers leaves as they are.
"""

from words import rows

ROBOT_NAMES = """Bolt Gizmo Sprocket Tinker Beep Pixel Turbo Widget Blip Socket Spark Pluto Buzz Tick Hum
Button Copper Dot""".split()

# Robots: kind : work that they do.
ROBOTS = rows("""
tool robot:mending motors
cleaning robot:polishing windows
cargo robot:stacking crates
kitchen robot:cooking for the crew
garden robot:watering space beans
map robot:drawing maps of the stars
lamp robot:lighting dark tunnels
rescue robot:looking for lost ships
""")

ROBOT_ADJ = "small|round|rusty|silver|old|tin|tall|blue|quick|clumsy".split("|")

ROBOT_TRAITS = "brave|curious|careful|clever|stubborn|patient|helpful|polite".split("|")

# Who else flies along: first mention : later mention : gender.
FRIENDS = rows("""
a girl called Luna:Luna:f
a boy called Leo:Leo:m
a green alien called Gloop:Gloop:m
an alien with three eyes called Nuri:Nuri:f
the young pilot Tara:Tara:f
the old cook Bobo:Bobo:m
""")

CAPTAINS = "Captain Lyra:f|Captain Sirius:m|Captain Star:f|Captain Grey:m|Captain Sun:f|Captain Stone:m".split("|")

SHIPS = "Silver Comet|Tin Swallow|Night Heron|Snow Goose|Lucky Star|Blue Star|Sky Boat|Star Kite".split("|")

# Worlds: name with article : preposition : sights : hiding spots.
WORLDS = rows("""
the red planet:on:dusty red hills,deep canyons,two pale moons:in a crack of the red rock,under a pile of dust,behind a tall red stone
the ice moon:on:frozen seas,blue cracks in the ice,tall towers of snow:under a sheet of ice,in a frozen cave,behind a block of ice
the ringed planet:near:golden rings,tumbling stones of ice,striped clouds:between two rings,behind a tumbling stone,in a golden cloud
the space station:on:long white corridors,blinking lights,round windows:under the control desk,behind an old crate,in a dark corridor
the dark side of the moon:on:wide grey craters,black rocks,silent plains:at the bottom of a crater,behind a black rock,under grey dust
the crystal asteroid:on:purple crystals,long tunnels,sparkling walls:in a dark tunnel,between two crystals,behind a sparkling wall
the cloud planet:above:orange clouds,slow flashes of lightning,floating islands:inside an orange cloud,on a floating island,behind a grey cloud
the green planet:on:glowing ferns,giant mushrooms,drops of warm green rain:under a giant mushroom,among the glowing ferns,in a hollow stem
""")

# Parts that a ship or a robot needs: noun : adjectives.
PARTS = rows("""
gear:golden,tiny,spare,brass
battery:yellow,round,spare,blue
antenna:long,silver,bent,spare
crystal:purple,glowing,green,clear
star map:old,folded,glowing,secret
radio:little,silver,old,yellow
power cable:red,long,thick,spare
fuel rod:glowing,green,heavy,spare
oil can:tin,old,little,shiny
memory chip:tiny,old,golden,blue
""")

# When it is, in a place without mornings: beginning : sentences.
TIMES = rows("""
one quiet shift:the motors hummed and the stars stood still/the crew was asleep/every light on the panel was green
on the hundredth day of the voyage:the sun was only a small bright dot/the crew was counting the days/the stars looked cold and far
just after launch:the motors roared and the floor shook/the blue planet grew smaller and smaller/everyone held on tight
one long night between the stars:a comet with a green tail went by/it was dark in all the windows/the radio was silent
when the alarm clock of the ship rang:the lamps were blinking/the screens were full of numbers/the captain was already awake
""")

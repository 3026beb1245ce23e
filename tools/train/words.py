"""Word lists of the story grammar: names, animals, things, places, weather, synonyms.

Only data lives here. The lists are written for this project; corpus.py says how
each table is used. Two shapes recur: `a|b|c` is a set of alternatives, and
multi-line strings hold one entry per line.
"""


def rows(text):
    """Split a multi-line table into stripped, non-empty lines."""
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


GIRLS = """Mia Lily Anna Rosa Ella Nora Ivy Clara Daisy Ruby Lucy Zoe Maya Tilly Hazel
Emma Sara Molly Nina Poppy Kate Jane Eva Mary Tessa Laura Sophie Elsa Martha Edith
Bella Carla Dora Fiona Gwen Helen Iris Jenny Kira Linda Maggie Nelly Petra Rita Susan
Tara Vera Wendy Yara Zara Leila Aisha Mei Priya Sonia Alice Amy Lena Wren Flora Olive Greta Penny June Mabel""".split()

BOYS = """Tom Ben Max Leo Sam Finn Oscar Jack Theo Hugo Eli Noah Felix Milo Jonas
Peter Toby Oliver John Paul Mark David George Harry James Carl Erik Frank Gus Ivan
Joel Karl Leon Martin Nick Owen Ralph Robin Stefan Ted Victor Walter Anton Boris Colin
Dan Edgar Felipe Omar Tariq Hiro Sanjay Pablo Marco Liam Will Adam Luke Henry Otto Kai Daniel Emil Ned Simon Arlo Ravi""".split()

ANIMAL_NAMES = """Pip Rusty Bramble Dot Nutmeg Biscuit Clover Fern Pepper Button Hop Maple
Bean Willow Thistle Moss Tansy Juniper Ziggy Pebble Acorn Ginger Mimi Bo Teddy Coco
Sunny Bruno Lulu Tuck Hazelnut Snowdrop Poppyseed Twig Puddle Skip Fluff Whiskers Velvet Patch
Freckle Copper Daffodil Bumble Mossy Nibbles Pudding Sorrel Barley Pumpkin""".split()

# Animals that can be heroes and friends: kind : home.
ANIMALS = rows("""
fox:den
rabbit:burrow
mouse:hole under the oak tree
bear:cave
squirrel:nest in the old tree
hedgehog:house of leaves
badger:den
otter:house by the river
duck:nest by the pond
frog:home under the lily pads
kitten:warm basket
puppy:kennel
mole:tunnel
owl:hollow tree
deer:clearing
beaver:lodge
turtle:home by the pond
sparrow:nest
""")

CHILD_HOMES = "little house|cottage|small white house|house by the river|house on the hill".split("|")

ADJ_HERO = "little|small|young|brave|cheerful|curious|kind|shy|clever|gentle|quiet|playful".split("|")

TRAITS = rows("""
kind
brave
curious
clever
gentle
patient
cheerful
helpful
shy
playful
careful
friendly
""")

LIKES = rows("""
climbing trees
singing songs
telling funny stories
picking berries
collecting smooth stones
looking at the stars
running in the tall grass
drawing pictures
watching the clouds
dancing in the rain
building little towers
listening to the birds
making things out of paper
playing hide and seek
splashing in puddles
counting butterflies
asking questions
learning new games
""")

# Wise helpers: first mention : later mention : gender.
ELDERS_FOREST = rows("""
a wise old owl:the old owl:m
a wise old owl:the owl:f
an old turtle:the old turtle:m
a slow and gentle tortoise:the tortoise:f
a big brown bear:the bear:m
a grey badger with round glasses:the badger:m
a friendly heron:the heron:f
an old toad with a deep voice:the toad:m
a white goose:the goose:f
a tall stag:the stag:m
a clever crow:the crow:f
""")
ELDERS_VILLAGE = rows("""
Grandma Rose:Grandma Rose:f
Grandpa Joe:Grandpa Joe:m
Aunt Agnes:Aunt Agnes:f
Uncle Fred:Uncle Fred:m
the old baker:the baker:m
a kind farmer:the farmer:m
the teacher:the teacher:f
an old sailor:the sailor:m
a friendly gardener:the gardener:f
the miller:the miller:m
an old woman with a walking stick:the old woman:f
the postman:the postman:m
""")

KIN = "mother:f|father:m|grandmother:f|grandfather:m|aunt:f|uncle:m|big sister:f|big brother:m".split("|")

# Things somebody can own, carry, lose or give: noun : adjectives : number : class.
THINGS = rows("""
kite:red,blue,yellow,green,striped:s:toy
ball:red,blue,yellow,shiny,striped:s:toy
drum:red,little,tin,wooden:s:toy
toy boat:red,blue,white,wooden:s:toy
toy train:green,red,wooden,tiny:s:toy
wooden horse:brown,white,little,painted:s:toy
music box:silver,little,old,painted:s:toy
spinning top:red,yellow,wooden,bright:s:toy
doll:small,old,pretty,soft:s:toy
hat:red,blue,green,purple,straw:s:wear
scarf:red,blue,orange,woolly,striped:s:wear
mittens:red,blue,green,woolly:p:wear
boots:yellow,red,brown,shiny:p:wear
coat:blue,warm,green,red:s:wear
ribbon:blue,pink,golden,purple:s:wear
blanket:soft,blue,green,warm:s:wear
lantern:golden,small,old,paper:s:tool
basket:brown,round,big,straw:s:tool
umbrella:yellow,purple,red,big:s:tool
bell:silver,golden,tiny,brass:s:treasure
key:golden,silver,rusty,tiny:s:treasure
button:blue,golden,shiny,round:s:treasure
marble:green,blue,glass,shiny:s:treasure
shell:pink,white,tiny,shiny:s:treasure
coin:silver,golden,old,shiny:s:treasure
feather:blue,white,golden,long:s:treasure
whistle:silver,wooden,tin,little:s:toy
flute:wooden,silver,little,old:s:toy
book:blue,old,thick,little:s:tool
map:old,folded,yellow,secret:s:tool
cup:blue,white,yellow,little:s:tool
paints:bright,new:p:toy
bucket:red,blue,tin,old:s:tool
""")

# Places: name with article : preposition : sights : hiding spots.
PLACES = rows("""
the forest:in:tall pine trees,soft green moss,little white mushrooms:under a fallen log,behind a mossy rock,inside a hollow tree
the meadow:in:yellow flowers,busy bees,tall waving grass:in the tall grass,under a daisy,beside a grey stone
the beach:on:white sand,foamy waves,pink shells:under a pile of seaweed,behind a sand castle,next to a tide pool
the hill:on:round grey stones,purple flowers,grazing sheep:behind a big stone,under a thorn bush,at the foot of a tall tree
the lake:by:still blue water,green reeds,silver fish:among the reeds,under an old boat,beneath a flat stone
the river:by:clear cold water,round pebbles,quick little fish:between two rocks,under the bridge,among the roots of a willow
the garden:in:red roses,rows of carrots,green apples:under the cabbage leaves,behind the watering can,beneath the rose bush
the farm:on:fat brown hens,stacks of hay,a sleepy horse:in the hay,behind the cart,under the hen house
the market:at:baskets of fruit,bright cloth,loud voices:under a table,behind a barrel,inside an empty basket
the park:in:green benches,pigeons,a round fountain:under a bench,behind the fountain,beneath a pile of leaves
the orchard:in:red apples,rows of old trees,fallen leaves:in the grass under an apple tree,behind a ladder,inside a wooden crate
the barn:in:bales of straw,a sleepy cow,dusty sunlight:on a dusty shelf,behind a bale of straw,under an old saddle
the pond:by:green lily pads,jumping frogs,tiny ducklings:beneath a lily pad,in the mud,behind a clump of reeds
the old mill:at:a big wooden wheel,bags of flour,white doves:behind a bag of flour,under the stairs,next to the wooden wheel
the valley:in:wild strawberries,a winding stream,rolling mist:under a strawberry bush,beside the stream,in a small cave
""")

# Weather: kind : adjectives : sentences.
WEATHER = rows("""
sunny:sunny,warm,bright,golden:the sun was shining and the sky was blue/the birds were singing in the warm sun/there was not a cloud in the sky/the air smelled of flowers
windy:windy,breezy,wild:the wind was blowing through the trees/the leaves were dancing in the wind/the clouds were racing across the sky
rainy:rainy,wet,grey:rain was tapping on the roof/there were puddles everywhere/the sky was full of dark clouds
snowy:snowy,cold,frosty:soft white snow covered the ground/snowflakes were falling slowly/everything was white and quiet
foggy:foggy,misty,cool:a thick mist lay over the fields/it was hard to see very far/the world looked soft and grey
autumn:cool,crisp,quiet:the leaves were turning red and gold/brown leaves covered the path/the air smelled of apples
""")

# Food: name : number : main ingredients.
FOODS = rows("""
apple pie:s:apples,flour,butter
honey cake:s:honey,flour,eggs
berry tart:s:berries,sugar,butter
carrot soup:u:carrots,onions,cream
blueberry muffins:p:blueberries,milk,flour
oat cookies:p:oats,honey,butter
pancakes:p:milk,eggs,flour
pumpkin bread:u:pumpkin,flour,sugar
nut bread:u:nuts,flour,milk
plum cake:s:plums,sugar,eggs
cherry pie:s:cherries,flour,sugar
mushroom soup:u:mushrooms,butter,cream
ginger cookies:p:ginger,flour,sugar
potato pie:s:potatoes,cheese,milk
""")

# <name> in a template is replaced by one of these; entries may use [a|b] again.
SYNONYMS = {
    "happy": "happy|glad|very happy|so happy|full of joy|delighted|pleased",
    "sad": "sad|very sad|unhappy|upset|so sad",
    "afraid": "afraid|scared|frightened|a little scared|worried",
    "tired": "tired|very tired|sleepy|worn out",
    "surprised": "surprised|very surprised|amazed|astonished",
    "proud": "proud|very proud|so proud",
    "big": "big|huge|large|great big",
    "tiny": "tiny|small|little|very small",
    "nice": "nice|lovely|wonderful|beautiful|pretty",
    "walked": "walked|went|hurried|wandered|set off",
    "ran": "ran|hurried|raced|rushed|dashed",
    "looked": "looked|searched|hunted",
    "said": "said|answered|replied",
    "cried": "cried|shouted|called",
    "whispered": "whispered|said softly|murmured|said in a small voice",
    "smiled": "smiled|laughed|grinned|beamed|nodded",
    "soon": "soon|before long|after a while|in a little while|a few minutes later",
    "then": "then|just then|at that moment|a moment later|soon after",
    "suddenly": "suddenly|all of a sudden|all at once|just then",
    "so": "so|and so|that is why",
    "every": "every day|each morning|almost every day|every afternoon",
    "time": "morning|afternoon|day",
    "atlast": "at last|finally|in the end",
    "good": "good|great|wonderful|clever|splendid",
    "began": "began|started",
    "thanks": "thank you|thank you so much|thank you very much|oh, thank you",
    "hardwork": "worked hard|worked and worked|worked all [day|morning|afternoon]|did not give up",
    "felt": "felt|was",
    "evening": "that evening|that night|when the sun went down|when the stars came out|at bedtime",
}

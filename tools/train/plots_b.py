"""Plots, part two: friends, weather, races, secrets, journeys and lessons."""

PLOTS = {}

PLOTS["new_friend"] = """
@open
= lonely
But {h} was often lonely. There was nobody to play with {p.at}.
{h} had [many toys|a nice home], but {h.he} had no one to share {h.his} games with.
{h.he} [wished|hoped] for one thing: a friend.
= day
One {w.adj} <time>, {h} sat {p.at} with {h.his} {o}. {w.d}.
One {w.adj} <time>, {h} took {h.his} {o} and <walked> to {p}.
One day, a new family came to live near {p}. {h} watched from [behind a tree|far away].
= meet
<suddenly>, {h.he} heard a small sound. It was {f.a}, sitting all alone.
<then> {h.he} saw {f.a}. {F.he} was [looking at the sky|drawing in the sand|humming a song] and did not see {h.him}.
There, {p.spot}, sat {f.a}. {F.he} looked as lonely as {h} felt.
= shy
{h} wanted to say hello, but {h.he} was too shy. {H.he} took one step, and then another.
"What if {f.he} does not like me?" thought {h}. {H.his} knees were shaking.
{h} hid behind a tree and thought about what to say.
= hello
<atlast>, {h} said, "Hello. My name is {h}. What is your name?" "I am {f}," said the {f.kind}.
"Hello," <whispered> {h}. The {f.kind} looked up. "Hello! I am {f}," {f.he} said. "Who are you?"
"Would you like to see my {o}?" asked {h}. "Oh, yes!" said the {f.kind}. "My name is {f}."
= common
"I love {f.like}," said {f}. "So do I!" <cried> {h}.
It turned out that {f} was lonely too. "I did not dare to ask you to play," {f.he} said.
{f} [showed|gave] {h} {q.a}, and {h} let {f} hold {h.his} {o}.
They talked about {p.s} and {p.t}, about the moon and about their favourite food.
= play
They played [hide and seek|catch|pirates|kings and queens] until the sun went down.
All <time> long, they ran and jumped and laughed.
They built a [tower|house|bridge] of stones and sticks. When it fell down, they laughed and built it again.
~ 0.6 part
"Will you come back tomorrow?" asked {f}. "Of course I will," said {h}.
"I have to go home now," said {f}. "But tomorrow is a new day, and I will be here."
= home
When {h} came home, {h.his} {k} asked, "Why are you smiling?" "I have a friend," said {h}.
<evening>, {h} told {h.his} {k} all about {f}.
= moral
{h} learned that one small hello can change a whole day.
And from then on, {h} was never lonely again.
Sometimes you must take the first step, and a friend will take the second.
To this day, you can see {h} and {f} {p.at}, laughing together.
"""

PLOTS["storm"] = """
! thing=wear
! number=s
! weather=rainy,windy,foggy
@open
@meetfriend
= start
One {w.adj} <time>, {h} and {f} were playing {p.at}. They were having so much fun that they did not look at the sky.
One {w.adj} <time>, {h} and {f} <walked> to {p} to look for [berries|nuts|pretty stones].
It was a {w.adj} day, and {w.d}. All the same, {h} and {f} <walked> to {p}.
= clouds
<suddenly>, the sky turned dark. The wind howled, and big drops <began> to fall.
Then came black clouds, and there was a [loud|great] clap of thunder. Boom!
The wind grew stronger and stronger. It [shook the trees|pulled at their ears|threw leaves into the air].
= fear
"I am <afraid>!" <cried> {f}. {F.he} held on to {h}.
{f} <began> to cry. "I want to go home," {f.he} said.
{h} was <afraid> too, but {h.he} did not want to show it.
= shelter
"Quick!" <cried> {h}. "We must find a dry place." {H.he} took {f} by the hand, and they <ran> [as fast as they could|through the rain].
{h} looked around. There was a dry spot {p.spot}. "In here!" {h.he} <cried>.
<then> {h} remembered a small cave not far away. "Follow me," {h.he} <cried>, and they <ran>.
= wait
There they sat, close together, and listened to the rain. {h} <began> to sing a song to make {f} feel better.
Inside it was dry. {h} gave {f} {h.his} {o} to keep warm, and they told each other stories.
It was dark, but they were not alone. "Count with me," said {h}. "After each flash, we count until the thunder comes."
~ 0.5 other
<then> they heard a tiny voice. A little bird sat in the rain, wet and cold. {h} took it in and kept it warm.
{e.a} was hiding there too. "[Every storm must end|No storm lasts forever]," said {e}.
There was even something to eat: {h} had a [red apple|piece of bread] in {h.his} bag, and {h.he} gave half of it to {f}.
= over
<atlast>, the storm was over. The sun came out, and a rainbow stood over {p}.
<soon>, the thunder rolled away, and the rain stopped. Everything [sparkled|smelled fresh and clean].
Little by little, the wind grew quiet. A golden light fell on {p}.
= talk
"You were so brave," said {f}. "I was scared too," said {h}, "but it was easier with you."
"^<thanks> for holding my hand," said {f}. {h} <smiled>.
"Look!" <cried> {f}. "The sky is blue again!" They jumped into the puddles and laughed.
@together 0.3
= moral
{h} learned that being brave does not mean that you are never afraid.
And whenever there was thunder, {h} and {f} sat together and counted.
After every storm, the sun comes back. {h} never forgot it.
A storm is only half as loud when you hold the hand of a friend.
"""

PLOTS["race"] = """
! weather=sunny,windy,autumn
$ x = rabbit|hare|young horse|big goat|proud rooster|quick lizard|grey goose
@open
= news
One {w.adj} <time>, there was a big race {p.at}. The [prize|first prize] was {o.a}.
Every year, there was a race from {p} to {r}. This year, the winner would get {o.a}.
One day, there was a sign on a tree. "Race to {r}! Everyone may come," it said.
= boast
A {x} laughed. "I am the fastest of all," said the {x}. "Nobody can beat me."
The {x} looked at {h}. "You are much too slow," it said. "You will come last."
"Who wants to lose against me?" asked the {x}, and it held its head up high.
= decide
{h} was not the fastest, but {h.he} wanted to try. "I will do my best," {h.he} said.
"I know that I am small," said {h}, "but I want to run all the same."
{h.his} {k} said, "Do not look at the others. Just put one foot in front of the other."
~ 0.6 practice
<every>, {h} practised. {H.he} ran up the hill and down the hill.
For a whole week, {h} got up early and ran around {p} three times.
= go
On the day of the race, everyone stood in a row. "One, two, three, go!" <cried> {e.a}.
"Ready, steady, go!" <cried> {e.a}. The runners [raced|dashed] away, and the dust flew.
= ahead
The {x} was soon far ahead. {h} was the very last, but {h.he} did not stop.
At once, the {x} took the lead. It looked back and laughed.
The {x} ran so fast that nobody could keep up. {h} ran on, step by step.
= event
<then> {h} heard a cry. {f.a} had fallen and hurt {f.his} foot. Everyone else ran past.
<suddenly>, {h} saw {f.a} lying in the grass. "Ouch! I cannot get up," said {f}.
Near {r}, {h} saw {f.a} sitting by the road. {F.he} had a thorn in {f.his} foot and was crying.
= choice
{h} wanted to win, but {h.he} could not leave {f} there. {H.he} stopped and helped {f.him} up.
"The race can wait," said {h}. {H.he} helped {f} to stand, and they went on together, slowly.
"Lean on me," said {h}. "We will finish together."
= result
The {x} won the race. But when {h} and {f} came in, hand in hand, everyone clapped [even louder|and cheered].
Meanwhile, the {x} was so sure of winning that it lay down for a nap. When it woke up, {h} and {f} were already there!
The {x} was first, and it got the {o}. Then it saw {h} helping {f}, and it was quiet for the first time.
= praise
"There is more than one way to win," said {e}, and {h} got a crown of flowers.
"I have seen many fast runners," said {e}, "but only one with such a big heart."
{f} hugged {h}. "You could have won," {f.he} said. "I did win," said {h}. "I won a friend."
@together 0.3
= moral
{h} learned that helping a friend is better than any prize.
And from that day on, nobody laughed at {h} again.
The next year they all ran again, and this time nobody ran past a friend who needed help.
It is good to be fast, but it is better to be kind.
"""

PLOTS["secret"] = """
@open
@meetfriend
= discover
One {w.adj} <time>, {h} found {o.a} {p.spot}. Next to {o.them} was a small box with three golden nuts in it.
One {w.adj} <time>, {h} was walking {p.at}. <suddenly>, {h.he} saw a little door {p.spot}.
One day, {h} found {o.a} {p.spot}. There was a note beside {o.them}. It said, "This is a secret."
One {w.adj} <time>, {h} looked {p.spot} and found a tiny nest. In it were three blue eggs.
= promise
{e.a} saw {h.him}. "You have found my secret," said {e}. "Please do not tell everyone."
"Can you keep a secret?" asked {e.a}, who was standing there. "I think so," said {h}.
"Shh!" said {e.a}. "If everyone comes here, it will not be safe. Keep it to yourself."
= burden
It is hard to keep a secret. {h} thought about it all day long.
All day, the secret tickled {h} like a feather. {H.he} wanted so much to tell it.
At supper, {h} was so quiet that {h.his} {k} asked, "Is something wrong?"
= friendasks
"You look as if you are hiding something," said {f}. "What is it?"
{f} saw that {h} was smiling. "Tell me!" {f.he} said. "Please, please tell me!"
"Do you have a secret?" asked {f}. {h} [bit {h.his} lip|turned red] and said nothing.
= tension
"I made a promise," said {h}. "I cannot tell you yet." {f} was a little [cross|sad].
{h} almost told {f} everything. But then {h.he} remembered what {h.he} had promised.
"Are we not friends?" asked {f}. "We are," said {h}, "and that is why I will tell you as soon as I may."
= ask
The next day, {h} went back and asked {e}, "May I tell my friend {f}? {F.he} is very careful." 
So {h} <walked> to {e} and said, "A secret is heavy to carry alone. May I share it with {f}?"
= allow
"A promise kept is a treasure," said {e}. "Yes, you may bring your friend."
{e} <smiled>. "You asked first," {e.he} said. "That shows that I can trust you. Bring {f} with you."
= show
{h} took {f} by the hand and led {f.him} to {p}. "Close your eyes," {h.he} said. "Now open them!"
"Come with me," said {h}, "but be very quiet." They went to {p} on the tips of their toes.
= wonder
{f} looked and looked. "Oh," {f.he} <whispered>. "How <nice>! I will not tell anyone."
"So this was your secret!" said {f}. "Now I know why you had to be so quiet."
= moral
From that day on, it was their secret, and they kept it well.
{h} learned that trust grows when you keep your word.
And if you walk {p.at} and listen well, perhaps you will find it too.
Now the secret was not heavy any more, because two were carrying it.
"""

PLOTS["journey"] = """
$ t = the sea:sea|the high mountains:mountains|the big city:city|the end of the rainbow:rainbow|the great waterfall:waterfall|the moon tree:tree|the blue lake:lake
@open
= wish
{h} had one great wish. {H.he} wanted to see {t}.
<every>, {h} looked [to the north|far away] and wondered what was there.
One <time>, {e.a} told {h} about {t}. From then on, {h} could think of nothing else.
= leave
So one {w.adj} <time>, {h} packed {o.a} and some bread and said goodbye to {h.his} {k}.
"I am going to find {t}," {h} said one {w.adj} <time>. "Be careful," said {h.his} {k}, "and come back to us."
One {w.adj} <time>, {h} put on {h.his} [hat|coat] and <walked> down the road. {w.d}.
= road
First, {h.he} came to {p}. There {h.he} saw {p.s} and {p.t}.
{h} walked and walked. {H.he} passed {p} and stopped to look at {p.s}.
The road led past {p}. {h} [rested|slept] there for a while, and {p.s} made {h.him} smile.
= companion
There {h.he} met {f.a}. "Where are you going?" asked {f}. "To {t}," said {h}. "May I come with you?" asked {f}.
By the road sat {f.a}. {F.he} was lost and did not know where to go. "Come with me," said {h}. "I am going to {t}."
= obstacle
<soon>, they came to a deep river. There was no bridge. "How can we get across?" asked {f}.
Then they came to a place where the road went two ways. "Which way is right?" asked {f}.
On the second day, a thick fog came down, and they could not see the road any more.
Then a big rock blocked the way. They pushed and pushed, but it did not move.
= solve
{h} thought for a while. "Let us ask someone who lives here," {h.he} said. A [little bird|friendly snail|small green frog] showed them the way.
"If we work together, we can do it," said {h}. It took a long time, but <atlast> they went on.
{f} had an idea. "We will wait for the morning," {f.he} said. "In the light, everything is easier." And so it was.
~ 0.5 night
At night they made a small fire. {h} looked up at the stars and thought of {h.his} {k}.
They shared the last piece of bread and slept under [a tree|the stars].
"Are you homesick?" asked {f}. "A little," said {h}, "but I am glad that you are here."
= arrive
On the third day, they stood at the top of a hill. There, in front of them, was {t}!
And then, one {w.adj} morning, they saw {t}. It was [more beautiful|bigger] than in any story.
<atlast>, they came to {t}. For a long time, they did not say a word.
= feel
"We did it!" <cried> {f}, and they [danced|jumped] for joy.
"It was a long way," said {h}, "but I would walk it again."
{h} was <happy>. {H.he} picked up a small [stone|white stone] to take home.
= back
Then they turned around and walked the whole long way back.
When {h} came home, {h.his} {k} ran to meet {h.him}. "Tell me everything," said {h.his} {k}.
= moral
{h} had many stories to tell. But the best one was how {h.he} had found {f} on the way.
{h} had learned that the way is long only when you walk it alone.
"The world is <big> and <nice>," {h} said, "but home is <nice> too."
And {h} knew that big wishes come true one step at a time.
"""

PLOTS["learning"] = """
$ v = swim:swimming:water|whistle:whistling:song|read:reading:book|dance:dancing:step|skate:skating:ice|sing:singing:song|paint:painting:picture|climb trees:climbing trees:branch|jump over the stream:jumping over the stream:stream|juggle:juggling:ball|tie knots:tying knots:rope|bake bread:baking bread:bread
@open
= cannot
There was only one thing that {h} could not do. {H.he} could not {v}.
{h} wanted very much to learn to {v}, but {h.he} did not know how.
All the others could {v}. Only {h} could not.
= see
One {w.adj} <time>, {h} saw {f.a} {v.b} {p.at}. It looked so easy!
One {w.adj} <time>, {f.a} asked, "Do you want to {v} with me?" {h} looked at the ground. "I cannot {v}," {h.he} said.
One {w.adj} <time>, {h} met {f.a}. "I love {v.b}," said {f}. "Do you?"
= try
{h} tried it at once, but it went wrong. {H.he} [fell down|bumped {h.his} nose] and felt silly.
{h} tried and tried. Nothing worked. "I will never learn it!" {h.he} <cried>.
The first time {h} tried to {v}, everyone laughed. {h} ran away and hid {p.spot}.
= teacher
"Do not give up," said {f}. "I could not do it at first. I will help you."
{f} sat down next to {h.him}. "It took me a whole summer to learn it," {f.he} said. "Let me show you."
{h} asked {e.a} for help. "Everybody is a beginner once," said {e}. "Come back every day, and we will practise."
= practice
And so they practised every day. On Monday it went badly. On Tuesday it went a little better.
<every>, {h} practised {v.b}. Sometimes {h.he} was <tired>, but {h.he} did not stop.
Day after day, {h} tried again. "Slowly," said {h.his} {k}. "Slow is the mother of fast."
{h} <hardwork>. After a week, {h.he} could do a little bit. After two weeks, {h.he} could do a little more.
~ 0.5 setback
One day it rained, and everything went wrong again. {h} wanted to stop. But the next morning {h.he} was there again.
"Maybe I am just too small," said {h}. "You are not too small," said {h.his} {k}. "You are just not finished."
= success
And then, one {w.adj} <time>, {h} could {v}! {H.he} did it once, twice, three times.
<atlast>, the day came. {h} took a deep breath, and it worked! {H.he} could {v}!
"Look at me!" <cried> {h}. {H.he} was {v.b} all by {h.himself}.
= praise
"I knew that you could do it!" <cried> {f}.
{h.his} {k} clapped and cheered. {h} was <proud>.
Everyone came to see, and nobody laughed now. "Can you teach me too?" asked a little [mouse|beetle|chick].
@home 0.35
= moral
{h} learned that nobody can do everything at once, but everyone can learn.
From then on, when something was hard, {h} said, "I cannot do it yet."
And soon {h} was helping others to learn to {v} too.
Every day a little bit, thought {h}, and one day it is a lot.
"""

PLOTS["garden"] = """
! weather=sunny,rainy,windy
$ g = sunflower|pumpkin|apple tree|rose bush|strawberry plant|bean plant|pear tree|cherry tree|blue flower|big melon
@open
= seed
One {w.adj} <time>, {h} found a tiny seed {p.at}. "What will you be?" {h.he} asked.
One spring <time>, {e.a} gave {h} a small brown seed. "Take good care of it," said {e}.
{h.his} {k} gave {h.him} a seed that was no bigger than a tooth. "Something wonderful is sleeping in it," {h.his} {k} said.
= plant
{h} dug a little hole, put the seed in and covered it with soft earth.
{h} planted it in a sunny place behind the house. {H.he} gave it some water and said good night.
{h} looked for the best spot {p.at} and put the seed into the ground.
= wait
The next morning, {h} ran to look. There was nothing to see. The day after, there was still nothing.
{h} waited for one day, two days, three days. Nothing happened.
<every>, {h} sat next to the spot and waited. But the earth was brown and bare.
= doubt
"Nothing will ever grow here," said {f.a}, who was passing by. But {h} only shook {h.his} head.
"It is not growing!" said {h}. "You cannot see it," said {h.his} {k}, "but under the ground it is hard at work."
"Maybe it is dead," said {f.a}. {h} <felt> <sad>, but {h.he} watered it all the same.
= care
<every>, {h} brought water from the [well|stream]. {H.he} pulled out the weeds and sang to the seed.
When it was hot, {h} gave it water. When it was windy, {h.he} put stones around it.
{h} never forgot to water it, not even once.
= sprout
And then, one {w.adj} <time>, {h} saw something green. It was no longer than a finger!
<atlast>, a tiny green leaf came out of the earth. {h} danced around it for joy.
One <time>, there it was: a small green [sprout|shoot], as thin as a thread.
~ 0.5 danger
One night, a cold wind came. {h} ran out and covered the little plant with {h.his} blanket.
A hungry snail wanted to eat it, but {h} carried the snail to {r}, where there were better leaves.
Then it did not rain for many days. {h} carried water from {r}, one bucket after another.
= grow
It grew and grew. It was a {g}!
Week after week, it got bigger, and when summer came, everybody could see that it was a {g}.
By the end of the summer, a <nice> {g} stood there, taller than {h}.
= share
{h} invited everyone to come and see the {g}. They came from near and far.
{h} was <proud>. "Look," {h.he} said, "all of this was in one tiny seed."
They all sat down around the {g} and had a party.
@feelhappy 0.4
= moral
{h} learned that good things need time.
And {h} kept the new seeds in a little box, for the next spring.
If you take care of small things, they may become great.
Since then, {h} has always been patient, because {h.he} knows that the best things grow slowly.
"""

PLOTS["rescue"] = """
$ b = baby bird:bird|little lamb:lamb|tiny kitten:kitten|small duckling:duckling|young squirrel:squirrel|baby rabbit:rabbit|grey chick:chick|little goat:goat
@open
@morning
= cry
<suddenly>, {h.he} heard a small voice. "Help! Help!" It came from somewhere near.
<then> {h.he} heard somebody crying softly.
<suddenly>, {h.he} stopped. "What was that?" {h.he} <whispered>. Somebody was calling for help.
= find
{h} looked around. There, {p.spot}, was a {b}. It was stuck and could not get out.
It was a {b}. It had hurt its leg and could not walk.
{h} followed the sound and found a {b}, all wet and cold, {p.spot}.
A {b} had fallen down and could not find its mother.
= comfort
"Do not be afraid," said {h}. "I will help you." The {b.b} looked at {h.him} with big eyes.
"Hush, little {b.b}," <whispered> {h}. "Everything will be all right."
The {b.b} shook with fear. {h} sat down beside it and spoke very softly.
= attempt
{h} pulled and pulled, but {h.he} was not strong enough. {H.he} needed help.
{h} wanted to carry it, but the {b.b} was too heavy for {h.him} alone.
{h} did not know what to do. "Wait here," {h.he} said. "I will come back, I promise."
= fetch
{h} <ran> to {f.a}. "Come quickly!" {h.he} <cried>. "A {b} needs our help!"
Luckily, {f.a} came along. "Two can do more than one," said {f}. "What can I do?"
{h} called as loud as {h.he} could, and {f.a} came running.
= rescue
Together they [made a soft bed of leaves|took a long stick|tied a rope] and brought the {b.b} to a safe place.
"One, two, three!" they <cried>, and <atlast> the {b.b} was free.
Very carefully, {h} and {f} lifted the {b.b} up. It was light and warm and its heart beat fast.
= care
They gave it some [milk|water] and wrapped it in [a soft cloth|a warm scarf|dry grass].
{h} took the {b.b} home. {H.his} {k} put a bandage on it and gave it some [milk|warm water].
For three days, {h} took care of it. {f} brought food, and the {b.b} grew stronger.
= mother
<soon>, its mother came. She had been looking for it everywhere. "^<thanks>!" she <cried>.
When the {b.b} was well again, they took it back to {p}, where its mother was waiting.
<atlast>, they found its mother. She was so <happy> that she could not speak.
= thanks
The {b.b} looked back one more time, as if it wanted to say thank you.
"I will never forget you," said the {b.b} in its tiny voice.
"You are a <good> pair of helpers," said its mother to {h} and {f}.
@home 0.35
= moral
{h} learned that even someone small can do something great.
From then on, the {b.b} often came to visit {h} and {f}, and they played together.
And {h} knew that it is always right to stop and listen when somebody calls.
<evening>, {h} fell asleep with a warm heart, because {h.he} had done something good.
"""

PLOTS["night"] = """
$ n = thump, thump, thump:thumping|scratch, scratch:scratching|whoo, whoo:whooing|tap, tap, tap:tapping|creak, creak:creaking|rustle, rustle:rustling
$ c = branch that was knocking on the window:branch|loose door that was moving in the wind:door|tiny mouse that was looking for crumbs:mouse|hedgehog that was eating an apple:hedgehog|young owl that could not sleep:owl|cricket that was learning a new song:cricket
@open
= afraid
There was one thing that {h} did not like: the dark.
In the day, {h} was as brave as a lion. But at night, {h.he} was <afraid>.
{h} was afraid of the dark. {H.he} always slept with {h.his} {o} beside {h.him}.
= noise
One night, {h} woke up. "{N}," it went outside.
One dark night, there was a strange sound. "{N}!"
One night, when {h.his} {k} was asleep, {h} heard something. "{N}." It was very near.
= fear
{h} pulled the blanket over {h.his} head. "It is a monster," {h.he} <whispered>.
{h.his} heart beat fast. What could it be? A wolf? A ghost?
{h} held {h.his} {o} tight and did not move.
= think
But the {n.b} did not stop. "I cannot sleep like this," thought {h}. "I must know what it is."
{h} thought of what {h.his} {k} always said: "Fear is big in the dark and small in the light."
{h} counted to ten. Then {h.he} put one foot on the cold floor, and then the other.
= friend
{h} woke {f.a}, who was staying for the night. "Will you come with me?" {h.he} asked. "Yes," said {f}, "but you go first."
{h} knocked on the wall. {f.a}, who lived next door, looked out. "Did you hear it too?" asked {f}. "Let us look together."
= go
They took a [lamp|candle] and went outside, step by step. The moon made long shadows.
Hand in hand, they crept to the door. "One, two, three," <whispered> {h}, and {h.he} opened it.
Very quietly, they went around the house. The {n.b} was louder now.
= reveal
And what was it? It was only a {c}!
{h} held up the light and <began> to laugh. It was a {c}!
<then> they saw it. It was not a monster. It was a {c}.
= relief
"And I was afraid of that!" said {h}. {f} laughed so much that {f.he} had to sit down.
{h} and {f} looked at each other and laughed until their tummies hurt.
"So that is our monster!" said {f}. "A {c.b}!"
~ 0.6 stars
Then {h} looked up. The sky was full of stars. "I never knew that the night was so <nice>," {h.he} said.
They stayed outside for a while and looked at the moon. The dark was soft and quiet.
= moral
From then on, {h} was not afraid of the dark any more.
{h} went back to bed and slept until the sun was high.
{h} learned that most monsters are very small when you look at them.
In the morning, {h.his} {k} asked, "Did you sleep well?" {h} and {f} only smiled.
Being brave, {h} knew now, is to be afraid and to look all the same.
"""

PLOTS["star"] = """
$ z = star:bright|moonbeam:silver|cloud:soft|snowflake:white|raindrop:shining|sunbeam:golden
@open
= night
One night, {h} could not sleep. {H.he} looked out of the window and saw a {z.b} {z} {p.at}.
One {w.adj} <time>, a {z.b} little {z} came down from the sky and landed {p.at}.
One evening, {h} found a {z.b} {z} {p.spot}. It was lost and far from home.
= talk
"Hello," said {h}. "Who are you?" "I am a {z}," it <whispered>. "I want to go home, but I do not know the way."
"Please help me," said the {z}. "I fell down from the sky, and I cannot get up again."
The {z} was very sad. "I miss the sky," it said.
= promise
"I will help you," said {h}. "I promise."
{h} thought hard. "There must be a way," {h.he} said.
"Do not cry," said {h}. "I am only a {h.kind}, but I will do what I can."
= carry
{h} put the {z} into {h.his} [pocket|little bag] and <walked> through the night.
Very gently, {h} took the {z} in {h.his} hands. It was [cool|warm] and [light|as light as a feather].
= ask
First, {h} asked {e.a}. "The sky is nearest on the top of the mountain," said {e}.
On the way, {h} met {f.a}. "I know a tall tree behind the hill," said {f}. "From the top of it, you can almost touch the sky."
= climb
It was a long way. {h} climbed higher and higher, until the houses were as small as beans.
{h} climbed all night. {H.his} legs were <tired>, but the {z} sang to {h.him}, and {h.he} went on.
Up and up {h.he} went. Twice {h.he} slipped, and twice {h.he} held on.
= release
At the very top, {h} held up {h.his} hands. "Now fly!" {h.he} <cried>. And the {z} rose up, slowly at first, and then faster.
When {h} reached the top, the wind came. It took the {z} and carried it up into the sky.
{h} opened {h.his} hands. The {z} danced once around {h.his} head, and then it was gone.
= goodbye
"Thank you, {h}!" it called from far away. "I will always think of you."
{h} waved until {h.his} arm hurt. {H.he} was <happy> and a little sad.
For a moment, the whole sky was full of light.
= gift
The next morning, {h} found {o.a} in front of the door. It was a gift from the sky.
When {h} woke up, there {o.was} {o.a} beside {h.his} bed, and {h.he} knew who had sent {o.them}.
= moral
And when {h} looks up at night, something up there winks at {h.him}.
{h} learned that a small promise can lead to a great adventure.
Nobody believed {h}, but that did not matter. {H.he} knew that it was true.
Since then, {h} has had a friend in the sky.
"""

PLOTS["quarrel"] = """
! thing=toy,treasure
! number=s
@open
@meetfriend
= find
One {w.adj} <time>, they were playing {p.at}. <suddenly>, they found {o.a} {p.spot}.
One {w.adj} <time>, {h} and {f} saw {o.a} lying {p.spot}.
One {w.adj} <time>, {h.his} {k} gave the two of them {o.a}. There was only one.
= fight
"It is mine!" <cried> {h}. "No, it is mine!" <cried> {f}. "I saw it first!"
"I want to have it," said {h}. "I want it too," said {f}. They both pulled at the {o}.
Both of them wanted the {o}. They <began> to shout.
= angry
"You are not my friend any more!" <cried> {f}, and {f.he} ran away.
{h} turned around and went home without saying goodbye.
They were so angry that they did not look at each other.
= alone
But at home, {h} felt <sad>. The {o} was <nice>, but it was no fun alone.
The next day, {h} sat alone {r.at}. It was very quiet without {f}.
{h} tried to play alone, but all the games were boring.
= think
{e.a} sat down next to {h}. "What is worth more," asked {e}, "a {o.n} or a friend?"
"What is the matter?" asked {h.his} {k}. {h} told {k.him} about the fight. "Somebody has to say sorry first," said {h.his} {k}.
{h} thought about all the good days with {f}. "I was silly," {h.he} said.
= go
So {h} took the {o} and <walked> to {f}.
{h} <ran> to the place where {f} lived. {H.his} heart was beating fast.
On the way, {h} met {f}, who was just coming to see {h.him}.
= sorry
"I am sorry," said {h}. "You can have the {o}." "No," said {f}, "I am sorry. You can have it."
"I was wrong," said {h}. "I do not want the {o}. I want my friend." {f} had tears in {f.his} eyes. "Me too," {f.he} said.
They both said "I am sorry" at the same time. Then they had to laugh.
= solution
"Let us share it," said {h}. "One day you, one day me."
"We can play with it together," said {f}, and so they did.
They put the {o} on a shelf, where both of them could see it.
@together 0.3
= moral
{h} learned that a friend is worth more than any treasure.
And whenever they looked at the {o}, they remembered how they had made up.
It is hard to say sorry, but it is much harder to be without a friend.
From then on, they still argued sometimes, but never for long.
"""

PLOTS["surprise"] = """
@open
= forgot
It was the birthday of {h}, but nobody said a word about it. Even {h.his} {k} seemed to have forgotten it.
One {w.adj} <time>, {h} woke up early. It was {h.his} birthday! But the house was empty.
Today was a special day for {h}. It was {h.his} birthday, and {w.d}.
= ask
{h} <walked> to {f.a}. "Do you know what day it is?" {h.he} asked. "It is Tuesday," said {f}, "and I am very busy."
{h} met {e.a}. "I have no time now," said {e}, and {e.he} hurried on.
"Do you want to play with me?" {h} asked {f.a}. "Not today," said {f}. "I have to go to {p}."
= sad
{h} <felt> <sad>. "Everyone has forgotten me," {h.he} thought.
{h} sat down {r.at} and looked at the ground. {H.he} had never felt so alone.
{h} went for a long walk and kicked a little stone in front of {h.him}.
= clue
<then> {h} saw something strange. There was a [ribbon|paper star|trail of petals] on the ground, and it led to {p}.
<then> {h} heard whispering and giggling {p.at}. What could it be?
A little [bird|butterfly] flew around {h.his} head. It seemed to say, "Follow me to {p}!"
= follow
{h} followed it, step by step. It was very quiet.
{h.s} was curious and <walked> there as fast as {h.he} could.
= surprise
"Surprise!" they all <cried>. Everyone was there!
And then they all jumped out. "Happy birthday, {h}!" they <cried>.
= scene
There were lights in the trees and {d.a} on a long table. There were songs and games.
{h.his} {k} had made {d.a}, and everyone <began> to sing.
There was {o.a} for {h}, with a big bow on top.
= feel
{h} was so <surprised> that {h.he} could not speak. Then {h.he} laughed and cried at the same time.
"I thought that you had forgotten me," said {h}. "We could never forget you," said {h.his} {k}.
"Is all this for me?" asked {h}. "All of it," said {h.his} {k}.
= party
They [danced|played|sang] until the stars came out.
They ate until they were full, and then they danced until their feet hurt.
@feelhappy 0.4
= moral
<evening>, {h} said, "This was the best birthday of my life."
{h} learned that people may love you even when they are quiet about it.
And {h} knew that nobody is forgotten who has such good friends.
{h} fell asleep with a smile, still hearing the songs.
"""

"""Plots, part one: things lost, found, broken, made and given."""

PLOTS = {}

LOST_HEAD = """
@open
= own
{h} had {o.a}. {o.it} {o.was} a [gift|present] from {h.his} {k}, and {h.he} [took|carried] {o.them} everywhere.
More than anything else, {h} loved {h.his} {o}.
{h.he} [owned|had] {o.a}, and {h.he} [loved|liked] {o.them} very much.
{h.his} {k} had given {h.him} {o.a}. {h} [kept|carried] {o.them} with {h.him} all the time.
{h.his} [favourite|most precious] [thing|treasure] was {o.a}.
= miss
One {w.adj} <time>, {h} could not find {h.his} {o}. {o.it} {o.was} not [under the bed|by the door|on the shelf|at home].
But one day, the {o} {o.was} gone. {h} looked [in every corner|everywhere], but {h.he} could not find {o.them}.
One {w.adj} <time>, {h} reached for {h.his} {o}, but {o.it} {o.was} not there.
One <time>, {h} came home from {p} and saw that {h.his} {o} {o.was} missing.
One day, {h} played {p.at} for so long that {h.he} forgot {h.his} {o}. When {h.he} got home, the {o} {o.was} gone.
= react
"Where {o.iss} my {o}?" <cried> {h}. {H.he} looked under the table and behind the door.
"Oh no! My {o} {o.iss} gone!" said {h}.
"I have lost my {o}," {h.he} told {h.his} {k}. "Then we must [think|look]," said {h.his} {k}. "Where did you have {o.them} last?"
{h.s} looked under the bed, behind the door and even in the teapot. But the {o} {o.was} not there.
~ 0.6 sadness
{h} <felt> <sad>. Without the {o}, the day was not [bright|nice] at all.
A tear ran down {h.his} cheek. {H.he} missed {h.his} {o}.
{h} sat on the step and felt <sad>.
"""

PLOTS["lost_helped"] = LOST_HEAD + """
= meet
<then> {h} met {f.a}. "Why are you so sad?" asked {f}. "I have lost my {o}," said {h}.
{f.a} came [by|along]. "What is wrong?" asked {f}. "My {o} {o.iss} gone," said {h}.
On the way to {p}, {h} met {f.a}. "Have you seen my {o}?" asked {h}. "No," said {f}, "but I will help you look."
= plan
"[Do not worry|Do not cry|Cheer up]," said {f}. "We will find {o.them} together."
"Two pairs of eyes are better than one," said {f}. "Let us look together."
{f} thought for a moment. "Let us walk the same way you walked [before|yesterday]," {f.he} said.
{f} took {h} by the hand. "Come," {f.he} said, "let us look {p.at}."
= search
They <looked> {p.at}, but they found only {p.s} and {p.t}.
They asked [a snail|a beetle|a robin|an ant], but [the little creature|nobody] had seen the {o}. Still, they did not give up.
{h} looked on the left and {f} looked on the right. They found {q.a}, but not the {o}.
They looked and looked until they were <tired>.
~ 0.5 hope
"Maybe we should go home," <whispered> {h}. "Just one more try," said {f}.
{h} wanted to stop, but {f} said, "Never give up too soon."
The sun was going down, and {h} was losing hope.
= found
<suddenly>, {f} pointed. There, {p.spot}, {o.was} the {o}!
<atlast>, {h} looked {p.spot}. And there {o.it} {o.was}!
<then> {f} <cried>, "Look over there!" The {o} {o.was} {p.spot}, a little [wet|dirty|dusty] but not broken.
"I see something!" <cried> {f}. There, {p.spot}, they found the {o}.
= thanks
"^<thanks>, {f}!" said {h}. {H.he} hugged {h.his} friend.
{h} was <happy>. "^<thanks>," {h.he} said. "I could not have found {o.them} without you."
{h} held the {o} tight. "You are a [good|true|real] friend," {h.he} said to {f}.
@together 0.3
= moral
From that day on, {h} always put {h.his} {o} in a safe place, and {f} came to play <every>.
{h} learned that a problem gets smaller when a friend helps you carry it.
And {h} never forgot that it is good to ask for help.
{h} had found the {o}, but {h.he} had found something better too: a friend.
They walked home together, and {h} let {f} [carry|hold] the {o} all the way.
"""

PLOTS["lost_thief"] = """\
! thing=treasure,wear
! number=s
""" + LOST_HEAD + """
= clue
<then> {h} saw [little footprints|tiny marks] on the ground. They led [straight|all the way] to {p}.
<suddenly>, {h} heard a [rustle|soft sound] {p.at}.
{h} went to {p} and asked {e.a}. "I saw [something|it] {p.at}," {e.he} said. "Look {p.spot}."
= finder
There, {p.spot}, sat {f.a}. {F.he} was holding the {o}!
When {h.he} came closer, {h.he} saw {f.a}. And what was that? {F.he} had the {o}!
= ask
"That {o} is mine," said {h}. "Why did you take it?"
"Excuse me," said {h}, "but I think that is my {o}."
{h} was angry at first. "Give it back!" {h.he} <cried>.
= reason
{f} [looked down|turned red]. "I am sorry," {f.he} <whispered>. "I found it on the path, and it was so <nice>."
"I did not know it was yours," said {f}. "I never had a {o} before."
"I am sorry," said {f}. "I was cold and [alone|lonely], and the {o} made me feel better."
= forgive
{h} saw that {f} was <sad>. "I am not angry any more," {h.he} said. "You can [come and play with me|borrow it sometimes]."
{h} thought about it. Then {h.he} smiled. "Next time, just ask," {h.he} said. "I like to share."
"Thank you for giving it back," said {h}. "Would you like to be my friend?"
= close
{f} gave the {o} back, and [the two of them|they] [played|talked] until the evening.
From then on, they shared the {o}. One day {h} had it, and the next day {f} had it.
{f} smiled for the first time that day. "I would like that very much," {f.he} said.
@home 0.35
= moral
{h} learned that a kind word can turn a stranger into a friend.
It is better to ask than to take, and it is good to forgive.
And {h} was glad that {h.he} had been kind.
And so {h} got {h.his} {o} back and found a new friend on the very same day.
"""

PLOTS["fixing"] = """
! thing=toy
! number=s
@open
= own
{h} had {o.a}. {H.he} [played|slept] with it <every>.
{h.his} {k} had made {o.a} for {h.him} a long time ago, and it was {h.his} favourite toy.
One day, {h} got {o.a} from {h.his} {k}. {H.he} loved it at once.
= break
One {w.adj} <time>, {h} was running too fast. {H.he} fell, and the {o} broke.
But one <time>, there was a loud crack. The {o} was broken!
One {w.adj} <time>, the {o} slipped out of {h.his} hands and fell on the floor. Crack! A piece came off.
One day, {h} left the {o} outside. In the night, the wind blew it down, and in the morning it was broken.
@feelsad
~ 0.7 try
{h} tried to fix it with [honey|mud|string], but it did not hold.
{h.s} tried to put the pieces together, but they fell apart again [and again|].
First, {h} tried to fix it alone, but it was too hard.
= ask
{h} took the {o} to {e.a}. "Can you help me?" {h.he} asked.
<then> {h} remembered {e.a} who could fix almost anything. {H.he} <walked> there with the broken {o}.
{e.a} saw the broken {o} and said, "Let me have a look."
= lesson
"I will show you how," said {e}, "but you must do the work yourself."
"Broken things can be mended," said {e}, "if you are patient."
"Yes," said {e}. "But first you must hold this very still. Good work needs time."
{e} put on [a pair of glasses|an apron] and took out [a small hammer|some glue|needle and thread|a little brush].
= work
{h} held the pieces, and {e} put on the glue. They waited and waited.
They [worked|tapped and glued|sat at the table] until the [sun went down|lamp was lit|clock struck six].
It was slow work. Twice the piece fell off, and twice {h} put it back.
{h} <hardwork>. {H.his} fingers were sticky, but {h.he} did not stop.
= fixed
<atlast>, the {o} was whole again. There was only a thin line where it had been broken.
<atlast>, it was done. The {o} looked almost like new.
"There!" said {e}. The {o} was fixed, and it was even stronger than before.
= happy
"^<thanks>!" <cried> {h}. "I thought it was broken forever."
{h} was <proud>, because {h.he} had helped to fix it.
{h} hugged {e} and ran home to show {h.his} {k}.
= moral
From that day on, {h} took good care of {h.his} {o}. And when something broke, {h.he} was not sad, for now {h.he} knew how to mend it.
And {h} learned that patience can mend what hurry has broken.
{h} still had the {o} many years later, and the thin line always made {h.him} smile.
Some things break, thought {h}, but with time and care they can be made whole.
After that, the neighbours brought their broken toys to {h}, and {h.he} helped to mend them.
"""

PLOTS["baking"] = """
@open
= wish
One {w.adj} <time>, {h} wanted to [make|bake] {d.a} for {h.his} {k}.
It was the birthday of {h.his} {k}. {h} wanted to [surprise {k.him}|make {k.him} happy] with {d.a}.
One day, {h} was [very|so] hungry. "I will make {d.a}," {h.he} said.
There was going to be a party {p.at}, and {h} [promised|offered] to bring {d.a}.
= need
{h.he} needed {d.x}, {d.y} and {d.z}. But {h.he} could not find everything in the kitchen.
"I need {d.x}, {d.y} and {d.z}," said {h}. {H.he} looked on the shelf, but it was almost empty.
{h.s} looked for {d.x}, {d.y} and {d.z}. But the pot in the corner was empty!
= friend
<then> {f.a} knocked on the door. "What are you doing?" asked {f}.
{h.his} friend {f} came by. {F.he} was a {f.adj} {f.kind} who loved to eat.
{f.a} smelled that something was going on and looked in at the window.
= help
"I have some at home," said {f}. "I will bring it, if I may help you cook."
"Let us cook together," said {f}. "It is more fun with two."
"I can get what you need," said {f}, and {f.he} <ran> to {p} and back.
= cook
{h} mixed the {d.y} and the {d.z} in a big bowl, and {f} washed the {d.x}.
{h} stirred and {f} counted. There was [flour on the floor|a spoon on the floor], and both of them laughed.
First they cut the {d.x}. Then they stirred in the {d.y}. Last of all came the {d.z}.
They stirred and tasted, and tasted and stirred. <soon>, there was a warm and wonderful smell in the room.
~ 0.6 trouble
But oh dear! {f} put in far too much salt. "We must start again," said {h}, and they both laughed.
Then the fire went out. {h} had to fetch dry wood, and {f} blew on the coals until they were red.
But they talked so much that they almost forgot the time. "Quick! Something is burning!" <cried> {f}. They were just in time.
{h} dropped the big spoon, and it landed on {f}. "You look like a snowman!" {h.he} said.
= done
<atlast>, the {d} {d.was} ready. {d.it} smelled [wonderful|delicious|sweet and warm].
<atlast>, they took the {d} from the fire. everything looked [perfect|wonderful|just right].
= share
{h.his} {k} took a bite and smiled. "I think this is the best thing I have ever eaten," {k.he} said.
They gave a piece to {h.his} {k}, a piece to {e.a}, and there was still enough for the two of them.
Everyone came to taste. "More, please!" they <cried>.
They sat down together and ate until nothing was left but crumbs.
= moral
{h} learned that food tastes best when it is made with a friend.
"Next time," said {f}, "we will make twice as much." And that is just what they did.
And {h} knew that many hands make the work sweet.
{h} was full and <happy>. "The best part," {h.he} said, "was cooking together."
From then on, {h} and {f} cooked something new every week.
"""

PLOTS["gift"] = """
! thing=toy,wear

@open
@meetfriend
= occasion
{f} was going to have a birthday, and {h} wanted to give {f.him} a [present|gift].
One {w.adj} <time>, {h} heard that {f} was ill. {H.he} wanted to bring {f.him} something.
Winter was coming, and {h} wanted to give {f} something [special|nice].
= nothing
But {h} had no money. "What can I give?" {h.he} wondered.
{h} looked in {h.his} pockets. There was nothing there but [a piece of string|a nut|an old button].
"I do not have anything good enough," said {h} sadly.
= idea
{h} asked {e.a}. "The best gifts are made with your own hands," said {e}.
{h.his} {k} said, "It does not have to be big. It only has to come from your heart."
<then> {h} had an idea. {H.he} could make something!
= work
{h} went to {p} and gathered [leaves and flowers|feathers and twigs|round stones and shells]. Then {h.he} sat down and <began> to work.
For three days, {h} cut and glued and painted. {H.he} did not tell anyone.
{h} <hardwork>. {H.his} hands were tired, but {h.he} thought of {f} and went on.
= made
<atlast>, it was ready. It was {o.a}, and {h.he} had made {o.them} all alone.
When {h.he} was done, {h.he} had {o.a}. {o.it} {o.was} not perfect, but {o.it} {o.was} <nice>.
<soon>, {h} held up {o.a}. "I hope {f} will like {o.them}," {h.he} said.
~ 0.6 doubt
On the way, {h} <felt> [nervous|shy]. What if {f} did not like the {o}?
At the door, {h} [almost turned back|stopped and took a deep breath]. Other gifts would surely be bigger.
Others had brought [large|shiny] gifts, and {h} hid the {o} behind {h.his} back.
= give
"This is for you," <whispered> {h}, and {h.he} gave {f} the {o}.
{h} put the {o} in front of {f}. "I made {o.them} myself," {h.he} said.
= joy
{f} opened {f.his} eyes wide. "You made {o.them} for me?" {f.he} asked. "This is the best gift of all!"
{f} was <happy>. "I will keep {o.them} forever," {f.he} said.
{f} did not say a word. {F.he} just hugged {h} for a long, long time.
= moral
And {h} learned that the best gifts come from the heart.
From that day on, {f} never went anywhere without the {o}.
{h} walked home with a warm feeling. Giving, {h.he} thought, is even nicer than getting.
A gift does not have to be big, as long as it is given with love.
"""

PLOTS["honesty"] = """
$ v = blue vase:vase|big jug:jug|old clock:clock|glass bowl:bowl|white plate:plate|painted pot:pot|round mirror:mirror
@open
= room
In the [kitchen|front room|hall] there was a {v}. It belonged to {h.his} {k}.
{h.his} {k} had a {v}, and {k.he} [loved|liked] it very much. "Please be careful with it," {k.he} always said.
On a [high shelf|little table] stood a {v}. {H.his} {k} was very proud of it.
= play
One {w.adj} <time>, {h} was playing with {h.his} {o}. {H.he} ran around and around.
One {w.adj} <time>, {h} was bored. {H.he} [jumped|danced] from one chair to the next.
It was a {w.adj} day. {h} and {f.a} were playing [a wild game|catch] inside, although they knew they should not.
= crash
Crash! The {v} fell down and broke.
{h} bumped into the wall, and the {v} fell to the floor with a loud crash.
Bang! Before {h} could catch it, the {v.b} lay in [pieces|a hundred pieces] on the floor.
= temptation
"Oh no," <whispered> {h}. "What will happen now?" {H.he} pushed the pieces [under the rug|behind the curtain|into a corner].
{h} <felt> <afraid>. Perhaps {h.he} could say that the wind had done it?
{h} wanted to run away and hide. Nobody had seen it, after all.
= worry
But all [afternoon|day], {h} had a bad feeling in {h.his} tummy. Even {h.like} was no fun.
{h} could not eat and could not play. {H.he} thought about the broken {v.b} all the time.
The longer {h.he} waited, the worse {h.he} felt.
~ 0.6 advice
{h} asked {e.a} what to do. "The truth is hard to say," said {e}, "but it is harder to carry a lie."
"Tell the truth," said {e.a}. "It is like pulling out a thorn. It hurts a little, and then it is over."
= confess
<atlast>, {h} went to {h.his} {k}. "I broke the {v}," {h.he} said. "I am very sorry."
<evening>, {h} said, "I have to tell you something. It was me. I broke the {v}."
When {h.his} {k} came home, {h} <ran> to {k.him}. "I broke your {v.b}," {h.he} <whispered>. "I did not mean to."
= answer
{h.his} {k} was quiet for a moment. Then {k.he} hugged {h.him}. "Thank you for telling me," {k.he} said.
"I am sad about the {v.b}," said {h.his} {k}, "but I am glad that you told me the truth."
{h.his} {k} sighed. "A {v.b} is only a {v.b}," {k.he} said. "But the truth is worth much more."
= amends
Together, they [picked up|glued] the pieces, and {h} felt much lighter.
The next day, {h} helped {h.his} {k} [sweep the floor|in the kitchen|in the garden] to make up for it.
{h} saved {h.his} coins, and in spring {h.he} bought {h.his} {k} a new {v.b}.
= moral
{h} learned that it takes courage to tell the truth.
From then on, {h} always told the truth, even when it was hard.
<evening>, {h} slept very well, for there is no softer pillow than a clear heart.
And {h} never played wild games inside again.
"""

PLOTS["sharing"] = """
! weather=sunny,windy,autumn

@open
= plenty
One {w.adj} <time>, {h} had {d.a} for lunch. everything smelled so good.
{h.his} {k} packed a basket for {h.him}. There {d.was} {d.a} in it.
It was a {w.adj} day, and {h} took {d.a} to {p} for a picnic.
= sit
{h} sat down {p.at} and opened the basket. "All this is just for me," {h.he} said.
{h} found a nice place {p.spot} and sat down to eat.
= arrive
<then> {f.a} came by. {F.he} looked [thin|hungry|cold] and <tired>.
<suddenly>, {h} saw {f.a}. {F.he} was looking at the food with big eyes.
A {f.adj} {f.kind} sat down not far away. {F.his} name was {f}, and {f.his} tummy rumbled.
= ask
"That smells good," said {f} in a small voice. "I have not eaten since yesterday."
"Hello," said {f}. "Could I have a little bite, please?"
{f} did not say anything, but {h} could see that {f.he} was hungry.
= doubt
{h} looked at the {d}. There {d.was} not very much. {H.he} was hungry too.
"If I share, there will be less for me," thought {h}.
At first, {h} pulled the basket closer. Then {h.he} saw how sad {f} looked.
{h} thought of what {h.his} {k} always said: "Shared food tastes twice as good."
= share
{h} cut the {d} into two parts and gave one to {f}. "Here," {h.he} said, "this is for you."
"Come and sit with me," said {h}. "We can eat together."
{h} smiled. "There is enough for both of us," {h.he} said, and {h.he} made room for {f}.
= eat
They ate every crumb. {f} told a funny story, and {h} laughed so much that {h.he} almost fell over.
{f} ate slowly and smiled. "^<thanks>," {f.he} said. "I feel much better now."
They ate and talked, and the sun felt warmer than before.
~ 0.7 return
A few days later, {h} was caught in the rain. {f} came with {q.a} and helped {h.him} home.
The next day, {h} forgot {h.his} lunch. But {f} came with a bag of [nuts|berries|plums]. "Now it is my turn to share," {f.he} said.
Some time later, {h} lost {h.his} way in the mist. It was {f} who found {h.him} and brought {h.him} home.
= moral
{h} learned that when you share, you do not have less. You have a friend.
And from then on, {h} always packed enough for two.
So they became friends, all because of one small piece of kindness.
Half a lunch and a whole friend, thought {h}, is better than a whole lunch alone.
"""

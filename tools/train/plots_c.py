"""Plots, part three: strangers, wishes, swaps, music, boats and snow."""

PLOTS = {}

PLOTS["scary_stranger"] = """
$ m = dragon:she:her:her|giant:he:him:his|wolf:he:him:his|troll:he:him:his|witch:she:her:her|big bear:he:him:his|giant:she:her:her|sea monster:he:him:his
$ y = tall tower|dark cave|crooked house|old castle|house of stones
@open
= rumour
In a {y} behind {p} lived a {m}. Everyone was afraid of {m.c}.
"Never go near the {y}," said {h.his} {k}. "A {m} lives there."
People told [terrible|strange] stories about the {m} who lived in the {y} near {p}.
= reason
One {w.adj} <time>, {h} was playing with {h.his} {o}. It flew over the wall and landed right in front of the {y}.
One {w.adj} <time>, {h} took the wrong path, and <suddenly> {h.he} stood in front of the {y}.
One {w.adj} <time>, {h} heard somebody crying in the {y}. {H.he} was <afraid>, but {h.he} wanted to know who it was.
= friend
{f.a} was with {h.him}. "Do not go in!" <whispered> {f}. "Wait here," said {h}.
"Let us run!" said {f.a}, who had come along. But {h} did not run.
= knock
{h} took a deep breath and knocked on the door. Knock, knock, knock.
Step by step, {h} went closer. The door was open.
{h.his} knees were shaking, but {h.he} called, "Hello? Is anybody there?"
= appear
The {m} came out. {M.b} was <big>, but {m.d} eyes were sad.
And there stood the {m}. "Are you not afraid of me?" asked the {m}. "A little," said {h}.
The {m} opened the door very slowly. "Nobody has ever come to see me," {m.b} said.
= talk
"Why are you sad?" asked {h}. "I am always alone," said the {m}. "Everybody runs away from me."
"Would you like some tea?" asked the {m}. {h} was very surprised. "Yes, please," {h.he} said.
"People say that you are wicked," said {h}. The {m} shook {m.d} head. "They have never asked me," {m.b} said.
= nice
They sat down and talked. The {m} loved {h.like}, just like {h}!
The {m} showed {h} {m.d} garden, and it was full of roses. "I water them every day," said the {m}.
The {m} knew a hundred stories and told them in a soft, deep voice. {h} called {f} in, and they both listened.
= invite
"Come with me tomorrow," said {h}. "I will show everyone how nice you are."
"You must meet my {k}," said {h}. And {h.he} took the {m} by the hand.
= people
At first, the others were <afraid>. But when the {m} smiled, they began to smile too.
"Look out!" cried the people. "No," said {h}, "this is my friend." One by one, they came closer.
<soon>, the {m} was helping everyone. {M.b} carried the heavy bags and told stories in the evening.
@home 0.35
= moral
{h} learned that you should not believe every story before you have asked.
And the {m} was never lonely again.
Sometimes the ones who look the most frightening only need a friend.
From then on, {h} and {f} went to the {y} every Sunday to drink tea.
"""

PLOTS["lost_way"] = """
@open
@morning
= stray
{h} followed a [yellow butterfly|blue bird|little frog|white rabbit] and did not look at the path.
There were so many [flowers|berries|pretty stones] that {h} went on and on, and always a little further.
{h} thought that {h.he} knew a shorter way home. But it was the wrong way.
= notice
When {h.he} looked up, nothing looked the same. "Where am I?" {h.he} asked.
<suddenly>, {h} stopped. The path was gone.
The shadows grew long, and {h} saw that {h.he} was lost.
= fear
{h} <felt> <afraid>. {H.he} turned left, and then right, but everything was strange.
"Hello!" <cried> {h}. But only the echo answered.
{h} sat down on a stone. "Do not cry," {h.he} told {h.himself}. "Think."
= meet
<then> {f.a} came out of the bushes. "Are you lost?" asked {f}.
<suddenly>, {h} heard a friendly voice. It was {f.a}. "You are not from here," said {f}.
A small light came closer. It was {f.a} with a lantern. "Why are you out so late?" asked {f}.
= explain
"I cannot find my way home," said {h}. "I live in a {h.home} with my {k}."
"Yes," said {h}, "I am lost. My {k} will be worried."
= clue
"What can you see from your home?" asked {f}. {h} thought hard. "I can see {r}," {h.he} said.
"Do you remember anything?" asked {f}. "This <time> I came past {r}," said {h}.
{f} listened. "Can you hear that?" {f.he} asked. "That comes from {r}." "I live near there!" <cried> {h}.
= walk
"I know {r}," said {f}. "Follow me." They walked side by side, and {f} told {h} about {f.like}.
They went to {r}, past {r.s} and past {r.t}. {h} held the hand of {f} all the way.
{f} knew every tree and every stone. With {f}, the way was not so dark.
~ 0.5 rest
When {h} was tired, they sat down and shared a [pear|piece of cheese|handful of nuts].
"Are you not afraid in the dark?" asked {h}. "Not when I have company," said {f}.
= arrive
<atlast>, {h} saw a light. "That is my home!" {h.he} <cried>.
And there it was! {h.his} {k} was standing in front of the door and calling {h.his} name.
<soon>, {h} knew where {h.he} was. "I can see my home from here," {h.he} said.
= reunion
{h.his} {k} took {h.him} in both arms. "I was so worried," {k.he} said.
{h.his} {k} <ran> to meet {h.him} and hugged {h.him}. Then {k.he} hugged {f} too.
= thanks
"Please stay for supper," said {h.his} {k} to {f}. And {f} stayed.
{h} gave {f} {o.a} to say thank you. "I will take good care of {o.them}," said {f}.
= moral
From then on, {h} always looked at the path, and {h.he} often went to visit {f}.
{h} learned that it is no shame to be lost, if you ask for the way.
And {h} never forgot the kind {f.kind} who had brought {h.him} home.
Those who are lost can find not only their way, but also a friend.
"""

PLOTS["swaps"] = """
! number=s
@open
= need
One {w.adj} <time>, {h} wanted to have {o.a}. But {h.he} had only {q.a}.
{h} needed {o.a} for {h.his} {k}, but all {h.he} had was {q.a}.
There was nothing that {h} wanted more than {o.a}. But {h.he} had no money, only {q.a}.
= market
So {h.he} <walked> to {p}, where people [met to trade|came to swap their things].
"Perhaps somebody will swap with me," {h.he} thought, and {h.he} <walked> to {p}.
= first
There {h.he} met {f.a}. "I like your {q}," said {f}. "I will give you {d.a} for it."
{f.a} was sitting there with a basket. "Swap with me," said {f}. "Your {q} for my {d}."
= first_yes
{h} was not sure, but {f} looked so hungry for something new that {h.he} said yes.
"That is fair," said {h}, and they shook hands.
{h} thought about it and nodded. Now {h.he} had no {q} any more, but {h.he} had {d.a}.
= second
Then came {e.a}. "I have not eaten all day," said {e}. "That smells wonderful."
A little later, {h} saw {e.a} sitting alone. {E.he} looked <tired> and hungry.
= gift
{h} did not want anything for it. "Please take it," {h.he} said. "You need it more than I do."
{h} looked at the food and then at {e}. "Here, eat," {h.he} said. "I can come back another day."
= empty
Now {h} had nothing at all. But {h.he} did not mind, for {e} was smiling.
"And what will you take home?" asked {f}. "Nothing," said {h}, "but I feel good."
{h} turned to go home with empty hands.
= reward
"Wait," said {e}. "I have something that I do not use any more." And {e.he} took out {o.a}!
"A kind heart should not go home with empty hands," said {e}, and {e.he} gave {h.him} {o.a}.
"What did you want to find here?" asked {e}. "^{o.a}," said {h}. {e} laughed and opened {e.his} bag. There it was!
= joy
{h} could not believe it. "^<thanks>!" {h.he} <cried>.
{h} was so <surprised> that {h.he} forgot to speak.
{h} held the {o} in both hands. It was exactly what {h.he} had wanted.
= end
{h} ran all the way home. "Look what I have!" {h.he} told {h.his} {k}.
{f} waved to {h} with the {q}. "Come back soon!" {f.he} <cried>.
@feelhappy 0.4
= moral
{h} learned that a good deed often comes back to you.
What you give with an open hand, thought {h}, finds its way home.
And {h} never forgot that kindness is the best thing to trade.
From then on, {h} and {f} met there every week to swap stories.
"""

PLOTS["three_wishes"] = """
$ g = golden fish|tiny fairy|old frog with a crown|blue bird|white snake|silver butterfly
$ a = a mountain of cake:cake|a house full of toys:toys|a bag of gold:gold|a hundred red balloons:balloons|the biggest kite in the world:kite|a castle with seven towers:castle
@open
@morning
= find
There, {p.spot}, {h.he} saw a {g}. It was caught in a net.
<suddenly>, {h.he} heard a small voice. A {g} was stuck and could not move.
= free
{h} felt sorry for it and [cut the net|opened the knot] with great care. The {g} was free.
"I will help you," said {h}, and {h.he} did not stop until the {g} was free.
= offer
"You have saved me," said the {g}. "Now you have three wishes."
"Thank you, {h}," said the {g}. "Wish for something three times, and it will come true."
= first
"I wish for {a}!" <cried> {h}. And there it was.
{h} did not have to think long. "I want {a}," {h.he} said. There was a flash of light, and it was done.
= after
At first, it was wonderful. But after an hour, {h} was bored with it.
But {h} was all alone with it, and that was no fun.
It was much too much, and {h} did not know what to do with it.
= second
"I wish that my friend {f} were here," said {h}. And there stood {f}, rubbing {f.his} eyes.
So {h} made the second wish. "I wish for a friend to share it with," {h.he} said. And there was {f.a}.
= play
Now it was fun at last. {h} and {f} laughed and played until it was late.
{f} had a hundred ideas, and the two of them had the best day of their lives.
= evening
In the evening, {f} was quiet. "My mother is ill," {f.he} said. "I should be with her."
Then {f} looked sad. "My little brother is ill," {f.he} said. "I am worried about him."
"It was a lovely day," said {f}, "but my grandmother is ill, and I cannot stop thinking of her."
= third
{h} had only one wish left. {H.he} looked at {f} and did not think twice. "I wish that everyone at your home were well again," {h.he} said.
{h} thought of all the things {h.he} could still wish for. Then {h.he} closed {h.his} eyes. "Make them well again," {h.he} <whispered>.
= true
And so it was. {f} <ran> home and found everyone dancing in the kitchen.
The next morning, {f} came running. "They are well again!" {f.he} <cried>. "It is a wonder!"
= wise
"You have used your last wish for someone else," said the {g}. "That was the best of the three."
The {g} came one more time. "You have a good heart," it said, and it was gone.
= moral
{h} had no wishes left. But {h.he} had a friend, and that was enough.
{h} learned that the best wish is the one you make for somebody else.
And from that day on, {h} was happy with what {h.he} had.
"""

PLOTS["band"] = """
$ i = drum:drumming:boom, boom|flute:playing the flute:toot, toot|fiddle:playing the fiddle:fiddle-dee-dee|trumpet:playing the trumpet:ta-ra, ta-ra|bell:ringing the bell:ding, dong|guitar:playing the guitar:pling, pling
$ j = sing:sang:singing|whistle:whistled:whistling|clap:clapped:clapping|hum:hummed:humming|dance:danced:dancing
@open
= instrument
{h} had an old {i}. <every>, {h.he} practised. "{I.c}," it went.
{h.his} {k} gave {h.him} a {i}. "{I.c}!" {h} loved the sound of it.
{h} loved {i.b} more than anything. "{I.c}!" it went from morning to night.
= complaint
"That is much too loud!" <cried> the neighbours. "We cannot sleep!"
But {e.a} put {e.his} hands over {e.his} ears. "Please play somewhere else," said {e}.
"What an awful noise!" everyone said. Nobody wanted to listen.
= away
So {h} took the {i} and <walked> to {p}, where nobody could hear it.
{h} <felt> <sad>. {H.he} went to {p} and played very softly, all alone.
= join
There {h.he} met {f.a}. "That is a nice song," said {f}. "I can {j} to it."
<suddenly>, somebody {j.b} along. It was {f.a}.
{f.a} was sitting {p.spot} and listening. "May I {j} with you?" asked {f}.
= together
{h} played, and {f} {j.b}. It sounded much better than before.
At first, they were not in time. "Slowly," said {f}. "One, two, three, four." And then it worked.
They practised until the sun went down. {f} {j.b}, and the {i} went "{i.c}".
~ 0.6 others
Then others came too. A frog croaked, a cricket chirped, and a duck beat the time with its foot.
The next day there were four of them, and the day after there were seven.
= chance
One {w.adj} <time>, there was a party {r.at}. But the musicians were ill. "Who will play now?" everybody asked.
Then came the summer party. It was too quiet, and no one was dancing.
= brave
"We can play," said {h} in a small voice. Everybody turned around.
{h} looked at {f}. {f} nodded. "Let us try," said {h}.
= play
"{I.c}!" went the {i}, and {f} {j.b}. First one foot tapped, then another, and <soon> everybody was dancing.
They played as they had never played before. Even {e.a} danced and danced.
= applause
When the song was over, everyone clapped. "More! More!" they <cried>.
"That was <nice>!" people said. "Why did you never play for us before?" {h} only smiled.
@home 0.35
= moral
{h} learned that you need practice and friends to make good music.
From then on, {h} and {f} played at every party.
And nobody ever said again that the {i} was too loud.
A song is like bread, thought {h}. It is best when you share it.
"""

PLOTS["boat"] = """
! weather=sunny,windy
$ t = boat:sail across the lake|raft:float down the river|cart:roll down the hill|tree house:live high up in a tree|swing:fly over the grass|bridge:cross the stream|hut:sleep under the stars
@open
@meetfriend
= idea
One {w.adj} <time>, {h} had an idea. "Let us build a {t}!" {h.he} said. "Then we can {t.b}."
"I want to {t.b}," said {h} one {w.adj} <time>. "Then we must build a {t}," said {f}.
One {w.adj} <time>, {h} drew a picture of a {t}. "Can we build that?" asked {f}. "We can try," said {h}.
= gather
They looked for wood {p.at}. {h} carried the long pieces, and {f} carried the short ones.
From {p}, they brought [boards|sticks] and rope. From home, they brought a hammer and a bag of nails.
= first
{h} wanted to be quick. {H.he} did not measure anything. Bang, bang, bang, and the {t} was ready.
They worked so fast that they were done by noon. "Finished!" <cried> {h}.
"Should we not make a plan?" asked {f}. "No," said {h}, "it will be all right."
= fail
But when {h} stepped on it, there was a crack, and the {t} fell to pieces.
They tried it out at once. Crack! Everything fell apart, and {h} sat in the mud.
The {t} leaned to the left, then it leaned to the right, and then it fell over.
= blame
"It is your fault!" said {h}. {f} was quiet. Then {h} was ashamed. "No, it is my fault," {h.he} said. "I was too fast."
{h} wanted to give up. "It is no use," {h.he} said.
For a moment, they looked at each other. Then they <began> to laugh.
= advice
{e.a} had seen it all. "Measure twice and cut once," said {e}. "And do not be in a hurry."
They asked {e.a} for advice. "Begin with the bottom," said {e}, "and make it strong."
= plan
So they started again. This time, they made a drawing, and they measured every piece.
The next day, they did it better. {f} measured, {h} cut, and {e} held the rope.
"This time we will do it slowly," said {h}, and so they did.
= work
It took three days. On the first day it was too short, and on the second day it was too long. On the third day it was just right.
They <hardwork>. When {h} was tired, {f} went on, and when {f} was tired, {h} went on.
= success
<atlast>, the {t} was ready. They painted it [blue|red|green|yellow], and it was strong and <nice>.
{h} stepped on it very carefully. It held! "Hooray!" they <cried>.
= use
Now they could {t.b}. And that is just what they did, all summer long.
"Come on!" <cried> {h}. "Now we will {t.b}!"
@together 0.3
= moral
{h} learned that good work needs a good plan.
"The best part was building it with you," said {f}.
What is done in a hurry, {h} knew now, must often be done again.
And every time {h} looked at the {t}, {h.he} was a little bit proud.
"""

PLOTS["sick_friend"] = """
@open
@meetfriend
= absent
One {w.adj} <time>, {h} waited for {f} {p.at}. But {f} did not come.
One {w.adj} <time>, {h} knocked on the door of {f}. Nobody came out to play.
It was a {w.adj} <time>, and {w.d}. {h} wanted to play with {f}, but {f} was not there.
= learn
"{f} is ill," said {h.his} {k}. "{F.he} must stay in bed."
"I cannot come out," said {f} in a weak voice. "I am ill."
{e.a} told {h} that {f} had a bad cold.
= want
"Poor {f}!" said {h}. "I must do something for {f.him}."
{h} <felt> <sad>. The games were no fun without {f}. "How can I help?" {h.he} asked.
{h} thought about it. "When I am ill, I like to have a visitor," {h.he} said.
= prepare
{h.his} {k} helped {h.him} to make {d.a}. {h} packed everything in a basket.
{h} <walked> to {p} and picked a big bunch of flowers.
{h} took {h.his} {o}, a warm blanket and a book of stories.
= way
The way was long, and the basket was heavy, but {h} did not stop.
On the way, {h} met {e.a}. "Where are you going?" asked {e}. "To my friend," said {h}. "{F.he} is ill." And {e} gave {h.him} a jar of honey.
= visit
When {f} saw {h}, {f.he} smiled for the first time that day.
"You came!" said {f}. "I thought that I would be alone all day."
{f} was lying in bed with a red nose. "Do not come too close," {f.he} said. {h} laughed and sat down by the window.
= care
{h} made some tea with honey and told {f} a funny story.
{h} read to {f} until {f.his} eyes closed.
They played a quiet game, and {h} let {f} win.
= days
{h} came back the next day and the day after. Each time, {f} looked a little better.
<every>, {h} brought something new: a leaf, a feather, a joke.
= well
And then, one {w.adj} morning, {f} stood in front of the door. "I am well again!" {f.he} <cried>.
After a week, {f} could run and jump again.
= thanks
"You were my best medicine," said {f}, and {f.he} hugged {h}.
"^<thanks> for coming every day," said {f}. "It made me strong."
= moral
{h} learned that a little time is the greatest gift.
And when {h} had a cold in the winter, who came with tea and honey? It was {f}.
A friend is somebody who comes when the others stay away.
Then they ran to {p} together, as fast as the wind.
"""

PLOTS["snowman"] = """
! weather=snowy
! thing=wear
! number=s
$ s = snowman|snow bear|snow rabbit|snow dog|snow horse|snow queen
@open
= snow
In the night, it had snowed. When {h} looked out in the morning, the whole world was white.
One winter morning, {h} woke up, and everything was very quiet. Snow!
It was the first snow of the year. {w.d}, and {h} ran out at once.
= build
"I will build a {s}," said {h}. {H.he} rolled a small ball, and it grew bigger and bigger.
{h} and {f.a} wanted to build a {s}. They rolled and pushed and laughed.
{h} met {f.a}, and together they built a {s}. It was taller than both of them.
= details
It got two black stones for eyes and a [carrot|nut|twig] for a nose. {h} put {h.his} {o} on it.
"Something is missing," said {h}. {H.he} took off {h.his} {o} and gave it to the {s}.
= alive
<evening>, when the moon was shining, the {s} opened its eyes. "Good evening, {h}," it said.
At midnight, {h} heard a soft knock on the window. It was the {s}!
= talk
"You can talk!" <cried> {h}. "Only when the moon is full," said the {s}. "Come, let us play."
"Thank you for the {o}," said the {s}. "Nobody has ever given me anything before."
= play
They slid down the hill and danced on the ice until the stars grew pale.
The {s} knew all the winter songs, and {h} learned every one of them.
The {s} carried {h} over the white fields. The snow sparkled like a thousand little lamps.
= warm
Then the days became warmer. The {s} grew smaller and smaller. {h} <felt> <sad>.
But one morning, the sun was warm, and water dripped from the roof. "I must go soon," said the {s}.
= goodbye
"Please do not go," said {h}. "Do not be sad," said the {s}. "I will be in the river, in the clouds and in the rain. And in winter, I will come back."
"Where will you go?" asked {h}. "To the sea," said the {s}, "and then up into the sky. Wait for me."
= gone
The next day, there was only a puddle, and in it lay {h.his} {o}.
In spring, there was nothing left but the {o} and two black stones. {h} kept them in a box.
= wait
Spring came, then summer, then autumn. {h} waited and was patient.
{h} waved to every cloud. Perhaps it was {h.his} friend.
= return
And then, one morning, it snowed again. {h} took the {o} and ran out. "Welcome back!" {h.he} <cried>.
When the first snowflake fell on {h.his} nose, {h} laughed. {H.he} knew who it was.
= moral
{h} learned that friends can go away and still come back.
And every winter, the {s} got the same {o}.
What we love is never quite gone.
"""

PLOTS["hide_and_seek"] = """
! weather=sunny,windy,autumn
$ c = butterfly:in the air|snail:on a leaf|beetle:in the grass|ladybird:on a flower|bee:in a blossom|ant:on the ground
@open
@meetfriend
= start
One {w.adj} <time>, they were playing hide and seek {p.at}. {f} closed {f.his} eyes and counted to twenty.
"Let us play hide and seek," said {h} one {w.adj} <time>. "You count, and I will hide."
It was a {w.adj} <time>, just right for hide and seek. {f} <began> to count. "One, two, three."
= hide
{h} found the best place of all. {H.he} hid {p.spot} and did not make a sound.
{h} <ran> as fast as {h.he} could and hid {p.spot}.
"{f} will never find me here," thought {h}, and {h.he} crept away to hide {p.spot}.
= seek
{f} looked high and low. {F.he} found a {c}, but not {h}.
"I am coming!" <cried> {f}. {F.he} looked here and there, but {h} was nowhere to be seen.
{f} looked everywhere, but the only one {f.he} found was a {c} {c.b}.
= wait
{h} waited and waited. It was warm, and {h.his} eyes grew heavy. <soon>, {h.he} was asleep.
{h} was so <tired> that {h.he} fell asleep.
= worry
"{h}, where are you?" <cried> {f}. "I give up! Come out!" But nobody answered.
It was getting late. {f} <felt> <afraid>. What if something had happened?
{f} called and called. Then {f.he} <began> to cry.
= help
{f} <ran> to {e.a}. "I cannot find {h}!" {f.he} said. "Let us listen," said {e}.
{h.his} {k} came, and everyone <began> to look for {h}.
= listen
They were all very quiet. And then they heard a sound. It was somebody snoring!
<suddenly>, {f} heard a funny noise. "What is that?" {f.he} asked. It was a snore.
= found
And there, {p.spot}, lay {h}, fast asleep, with a {c} on {h.his} nose.
{f} looked {p.spot} and <began> to laugh. "Found you!" {f.he} <cried>.
= wake
{h} opened {h.his} eyes. "Did I win?" {h.he} asked. Everybody laughed.
"Is it morning already?" asked {h}. "No," said {f}, "but you have won the game."
= hug
{f} hugged {h}. "Never hide so well again," {f.he} said.
"I am sorry that you were worried," said {h}. "Next time I will stay awake."
= moral
From then on, they always said where the game began and where it ended.
And whenever {h} could not sleep, {h.he} thought of that warm and quiet place.
It is fun to hide, thought {h}, but it is even nicer to be found.
{h} learned that somebody who looks for you is somebody who loves you.
"""

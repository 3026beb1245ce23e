"""Plots in space: repairs, rescues, signals, storms of stones, and gardens on far moons.

The notation is that of engine.py. Slots: {h} a robot, {f} who flies along, {k} the captain, {v} the ship,
{p} and {r} two worlds, {o} and {q} two parts, {w} a time.
"""

SHARED = {}

SHARED["open"] = """
= opening
Once upon a time[,|] there was {h.a}. It flew on a ship called the {v}.
Once upon a time[,|] {h.a} lived on a starship called the {v}.
Once upon a time, far from home, there was {h.a} who loved {h.job}.
Once upon a time, high above {p}, {h.a} flew on the {v}.
Long after people had learned to fly to the stars, there was {h.a}.
In the year three thousand, {h.a} worked on the starship {v}.
There was once {h.a}. Its work was {h.job}[, day and night|, and it did it well].
On board the starship {v}, there lived {h.a}.
One day, {h.a} woke up in the motor room of the {v}.
Far away, [near|not far from] {p}, flew the starship {v}. On board was {h.a}.
~ 0.7 work
{h} was a {h.trait} machine, and {k} was [proud of it|glad to have it].
Its work was {h.job}, and it never got tired.
{h} had [two|four|six] arms, one lamp and a very {h.trait} mind.
[Between two jobs|When all the work was done], {h} liked {h.like}.
{k} often said, "{h}, you are the most {h.trait} robot in the fleet."
"""

SHARED["time"] = """
= time
{w.s}, {w.d}, and {h} was busy with {h.job}.
{w.s}, {h} rolled to the window. {w.d}.
{w.s}, the {v} flew past {p}. {w.d}.
{w.s}, {h} was {h.like}. {w.d}.
"""

SHARED["friend"] = """
= friend
Its best friend on board was {f.a}.
On the same ship flew {f.a}, who [often|always] [talked to|played chess with] {h}.
{h} shared its cabin with {f.a}.
"""

SHARED["worry"] = """
= worry
"Beep!" said {h}. Its lamp turned red.
The wires of {h} [hummed with worry|grew hot].
"Alarm, alarm," said the [computer|voice of the ship].
{h} calculated for [one second|half a second]. It did not look good.
"This is not in my program," said {h}. "I must think for myself."
"""

SHARED["joy"] = """
= joy
"Beep, beep!" said {h}, and its lamp shone green.
The whole crew [cheered|clapped]. {h} turned three times around itself.
"My job is done," said {h}.
{h} had no mouth, but its lamp [was smiling|twinkled like a star].
"""

SHARED["return"] = """
= return
<then> the {v} turned around and flew back [home|to the space station].
{k} started the motors, and the {v} [jumped|shot] past the stars.
That night, {h} plugged itself in and dreamed of {p}.
They floated back to the airlock, and {k} [let them in|had hot soup ready for the crew].
"""

SHARED["finish"] = """
~ 0.2 finish
That was the message.
And the stars are still shining there today.
And so it is written in the log of the {v}.
"""

PLOTS = {}

PLOTS["motor_stops"] = """
@open
@friend 0.5
@time
= trouble
<suddenly>, the motor stopped. It became very quiet, and the {v} drifted through the dark.
<suddenly>, there was a loud bang in the motor room. The {v} stood still among the stars.
Then all the lamps went out. The {v} was falling slowly towards {p}.
= cause
{h} opened the motor. The {o} was gone!
"The {o} has broken," said {h}. "Without {o.a}, we cannot fly."
{k} looked at the screens. "We need {o.a}," {k.he} said, "or we will never see home again."
@worry
= idea
"There is an old ship {p.at}," said {f.a}. "Maybe it has {o.a}."
"I see something on the radar," said {f.a}. "Look, {p.at}, {p.spot}!"
{f.a} pointed at the window. "We can look for one {p.at}," {f.he} said.
= walk
{h} went out through the airlock. It saw {p.s} and {p.t}, and it was not afraid.
{h} flew down with its little jets. Below it were {p.s}.
{h} and {f} put on their magnets and went outside. All around were {p.s} and {p.t}.
= search
They found {q.a}, but it did not fit.
{h} searched for three hours. Its battery was nearly dead.
{h} turned over every stone. It found {q.a}, but that was not enough.
= find
<atlast>, {p.spot}, something was shining. It was {o.a}!
There, {p.spot}, lay {o.a}. "I have it," said {h} over the radio.
The lamp of {h} fell on {o.a}, {p.spot}. It was just the right size.
= repair
{h} put the {o} into the motor and turned the key. The motor roared!
With all its arms, {h} mended the motor. One, two, three, and the {v} was flying again.
It took only a moment. Then every light on the panel turned green.
@joy
= moral
"You have saved the {v}," said {k}. "From today on, you are my first pilot."
{h} kept the {q} for luck, and it never forgot {p}.
And from then on, {h} always carried a spare {o.n}.
And {k} wrote the name of {h} on the side of the ship.
@return 0.4
"""

PLOTS["signal"] = """
@open
@time
= signal
<suddenly>, the radio crackled. "Help," said a small voice. It came from {p}.
<suddenly>, {h} heard a strange signal: beep, beep, beep. It came from {p}.
On the screen was a green dot. "There is a signal from {p}," said {h}.
= captain
"Nobody lives there," said {k}. "But we must look."
{k} thought for a moment. "Set a course for {p}," {k.he} said.
"It may be a trap," said {k}. "Let me go alone," said {h}. "I am only a robot."
= land
The {v} landed {p.at}. From the window they saw {p.s} and {p.t}.
{h} climbed down the ladder. It saw {p.s}, but nobody was there.
{h} stepped out of the airlock. It saw {p.s} and {p.t}, and it heard not a sound.
= follow
{h} followed the signal past {p.s}. It became louder and louder.
{h} switched on its lamp and looked around. The signal came from something {p.spot}.
@worry 0.5
= meet
There, {p.spot}, sat {f.a}.
And there, {p.spot}, was {f.a}! "Do not be afraid," said {h}. "I come in peace."
There, {p.spot}, stood a broken rocket. In it sat {f.a}.
= story
"My rocket crashed," said {f}. "I have been alone here for a hundred days."
"I lost my {o}," said {f}, "and now I cannot fly home."
"I called and called," said {f}, "but nobody heard me. Only you."
= help
{h} opened its chest and took out {o.a}. "Take this," it said. "I have two."
{h} worked all night. It mended the rocket with {o.a} and some wire.
"Come with us," said {h}. "There is room on the {v} for one more."
= thanks
"^<thanks>, little robot," said {f}. {F.he} gave {h} {q.a}.
{f} <smiled>. "I did not know that robots have hearts," {f.he} said. "I have a pump," said {h}.
{f} hugged {h}, and the lamp of {h} shone like a star.
@joy 0.6
= moral
Since that day, {f} and {h} talk over the radio every evening.
And {h} learned that even the smallest signal can come from a friend.
And so the {v} flew on with one more friend on board.
{k} wrote in the log: "Today, {h} found a friend {p.at}."
@return 0.4
"""

PLOTS["stones"] = """
@open
@friend 0.4
@time
= alarm
<suddenly>, the alarm rang. A storm of asteroids was coming straight at the {v}!
"Asteroids!" <cried> {k}. <big> grey stones were tumbling past the windows.
The radar was full of dots. "Those are asteroids," said {h}, "and we are in their way."
= hit
A stone hit the ship, and air hissed out of a hole. "We are losing air!" <cried> {f.a}.
Bang! The wheel was broken. The {v} could not turn any more.
Crash! The shield was gone. {f.a} held on to a rope and closed {f.his} eyes.
@worry
= volunteer
"I need no air," said {h}. "I will go outside."
"Somebody must go out," said {k}. "I will go," said {h}. "I am made of steel."
{h} did not wait. It rolled into the airlock and shut the door.
= outside
Stones flew past like bullets. {h} held on with its magnets and crept along the ship.
{h} jumped from plate to plate, while stones tumbled past, and it counted each one.
A stone as big as a house flew by. {h} ducked, and it was gone.
= fix
{h} took {o.a} out of its chest and closed the hole with it.
{h} mended the wheel with {o.a} and a piece of {q.n}. "Turn left, now!" it said.
With {o.a}, {h} mended the shield. Blue light closed around the ship.
= lost
But then the rope broke, and {h} floated away into the dark.
But its battery was dead. The lamp of {h} went out.
= rescue
{f} did not think twice. {F.he} put on a suit, jumped out and caught {h} by the arm.
{f} turned the ship around and caught {h} with a long rope.
"I will not lose you," said {f}. {F.he} flew out with a light and pulled {h} back in.
= after
<soon>, the storm was over. They had left {p}, and the way was free.
The last stone flew by, and it was quiet again. In the window they saw {p.s}.
@joy
= moral
"You were [very|so] brave," said {k}. "I only did my job," said {h}.
And the dents of that day are still on {h}, like medals.
{h} learned that a crew is more than a ship.
@return 0.3
"""

PLOTS["garden"] = """
@open
= dream
{h} had a dream: it wanted to grow a flower {p.at}.
{h} had found a tiny seed in an old crate. "I will plant it {p.at}," it said.
"Nothing can grow {p.at}," said {k}. {h} wanted to try.
@time
= place
{h} looked for a good place. It found one {p.spot}, with a view of {p.s}.
{h} dug a hole {p.spot} and put the seed in.
There, {p.spot}, {h} built a little house of glass. In it was some earth and one seed.
= wait
{h} waited for ten days, and then for ten more. Nothing happened.
Every shift, {h} brought water and light. But the earth stayed bare.
= laugh
"A flower in space!" said {f.a} and laughed. "Robots cannot grow flowers."
{f.a} came to look. "It is too cold here," {f.he} said.
@worry 0.5
= need
"It needs more warmth," said {h}. It took its own {o} and put it beside the seed.
{h} calculated again. The seed needed light, so {h} made a lamp of {o.a} and {q.a}.
{h} gave the seed the last water of its own cooling. It got very hot, but it did not mind.
= sleep
Then its battery was dead, and {h} fell asleep beside the seed.
{h} had no more power. It stopped, and dust fell on its arms.
= help
{f} found {h} there. {F.he} charged its battery and sat beside it until it woke up.
When {f} saw this, {f.he} was sorry. {F.he} brought {h} a new battery.
= bloom
And what was that? A small green leaf was looking out of the ground!
<suddenly>, {h} saw something green. It was a leaf, and then two, and then a blue flower.
"Look," [whispered|said] {f}. A flower had opened, as yellow as the sun.
@joy
= moral
Today there is a whole garden {p.at}, and {h} waters it every day.
And {h} learned that a dream needs time, light and a friend.
"The first flower {p.at}," said {k}. "It shall be called {h}."
And {f} never again said that robots cannot grow flowers.
"""

PLOTS["lost_probe"] = """
@open
@friend 0.4
= loss
One day, {k} sent a little probe to {p}. It did not come back.
The {v} had a little probe with {o.a}. One day, it flew behind {p} and was gone.
"We have lost our probe," said {k}. "All our maps are in it."
@time
= ask
"I will find it," said {h}. It took {q.a} and its little jets.
"May I look for it?" asked {h}. {k} nodded. "But be back before the fuel is gone," {k.he} said.
{h} and {f.a} took the small rocket. "Ready, set, go!" said {h}.
= way
First {h} flew to {r}. It saw {r.s} and {r.t}, but no probe.
On the way lay {r}. {h} looked {r.spot}, but found only dust.
{h} asked an old robot near {r}. "It flew to {p}," the old robot said.
= arrive
Then {h} came to {p}. It saw {p.s} and {p.t}.
<atlast>, {h} landed {p.at}. Its lamp shone on {p.s}.
@worry 0.6
= find
There, {p.spot}, the little probe was blinking. It was stuck.
There, {p.spot}, {h} found the probe. Its antenna was bent, and it was very cold.
"Beep?" said a tiny voice {p.spot}. It was the probe!
= talk
"I was afraid," said the probe. "It is so dark out here." "Now I am with you," said {h}.
"Have you come to get your maps?" asked the probe. "No," said {h}, "I have come to get you."
"I found something," said the probe. "Look!" And it showed {h} {o.a}.
= back
{h} took the probe under its arm and flew back to the {v}.
{h} tied the probe to its back and started the jets. They flew past {r}, and then home.
@joy
= moral
From then on, the probe never flew alone. {h} always flew beside it.
"A good crew leaves nobody behind," said {k}, and {h} thought so too.
And the two of them drew a new map, with {p} in the middle.
@return 0.4
"""

PLOTS["race"] = """
@open
@friend
= race
<every>, there was a great race of rockets around {p}. This year, {h} wanted to fly too.
"Who can fly to {p} and back in one day?" asked {k}. "I can," said {h}.
On the space station, a race was announced: once around {p} and back.
= rival
A big black robot laughed. "You are only good for {h.job}," it said.
The fastest of all was Titan, a robot with three motors. "You will lose," said Titan.
= build
{h} built a rocket from {o.a}, {q.a} and an old bathtub.
{h} and {f} built a small rocket. Its motor was made of {o.a}.
@time 0.5
= start
"Ready, set, go!" The rockets shot into the dark, and {h} was the last.
All the motors roared. In a moment, Titan was far ahead.
= middle
{h} flew past {p.s} and counted the stars. It did not hurry, and it made no mistake.
Near {r}, the others lost their way. But {h} had learned the map by heart.
= halt
<suddenly>, {h} saw Titan {p.spot}. Its motors were burning. "Help me," said Titan.
<suddenly>, there was smoke. Titan had crashed {p.at}, {p.spot}.
@worry 0.4
= choose
{h} could have won. But it stopped, threw a rope and pulled Titan out.
"A race is only a race," said {h}, and it turned its rocket around.
= end
They came in last, both in one rocket. But everybody on the station clapped.
Together they flew over the line. Titan was very quiet. "Thank you," it said at last.
@joy 0.7
= moral
{k} gave {h} a medal of tin. "For the best pilot," {k.he} said, "and the kindest."
And Titan and {h} build rockets together now.
"You did not win," said {f}. "I won a friend," said {h}.
"""

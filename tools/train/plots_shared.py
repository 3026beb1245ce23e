"""Steps that every plot may use: openings, habits, mornings, feelings, farewells."""

SHARED = {}

SHARED["open"] = """
= opening
Once upon a time[,|] there was {h.a}. {H.he} lived in a {h.home} with {h.his} {k}.
Once upon a time, there lived {h.a}.
Once upon a time, in a {h.home} [not far from|near|close to] {p}, there lived {h.a}.
Once upon a time[,|] {h.a} lived [near|not far from|beside] {p}.
Once upon a time there was {h.a} who [loved|liked] {h.like}.
Once upon a time, when [the world was young|the days were long|your grandmother was small], there was {h.a}.
There was once {h.a}. {H.he} lived in a {h.home}.
There was once {h.a} who lived [near|close to] {p}.
There once was {h.a}, and {h.he} was [very|always|so] {h.trait}.
Long ago, [near|beside|not far from] {p}, there lived {h.a}.
A long time ago, there was {h.a} who [loved|liked] {h.like} [more than anything|very much|best of all].
Not so long ago, {h.a} lived in a {h.home}.
[In|Inside] a {h.home}, there lived {h.a}.
Far away, [behind|beyond] the blue hills, there lived {h.a}.
[Everyone|Everybody] near {p} knew {h}. {H.he} was a {h.adj} {h.kind} who [loved|liked] {h.like}.
{h} was a {h.adj} {h.kind} who lived in a {h.home}.
{h} was a {h.adj} {h.kind}. {H.he} lived with {h.his} {k} in a {h.home}.
One day, {h.a} [woke up|got up|opened {h.his} eyes] very early.
This is a story about {h.a}.
Do you know the story of {h}? {H.he} was a {h.adj} {h.kind} who lived near {p}.
~ 0.85 habit
{h.s} [loved|liked] {h.pastime}, and {h.he} was [always|often|very] {h.trait}.
{h} was [a very|such a] {h.trait} {h.kind}[.|, and everyone liked {h.him}.]
<every>, {h.he} [played|walked|went for a walk|sat and dreamed] {p.at}.
[Most of all|More than anything|Best of all], {h.he} [loved|liked] {h.pastime}.
{h.his} [favourite place was {p}|favourite thing in the world was {h.pastime}].
{h.his} {k} [often|always] said, "{h}, you are a very {h.trait} little {h.kind}."
{h.he} [spent|passed] the long days {h.pastime} and the [long|quiet] evenings [listening to stories|looking at the moon|sitting by the fire|talking with {h.his} {k}].
People said that {h.he} was [very {h.trait}|the most {h.trait} {h.kind} of all|{h.trait} and full of ideas].
"""

SHARED["morning"] = """
= morning
One {w.adj} <time>, {w.d}, and {h} went out [to play|for a walk].
One {w.adj} <time>, {h} <walked> to {p}. {w.d}.
One day, {h} <walked> to {p}. {w.d}, and {h.he} felt <happy>.
It was a {w.adj} <time>, and {w.d}.
One {w.adj} <time>, {h} looked out and saw that {w.d}. "What a [good|fine|nice] day!" {h.he} said.
On a {w.adj} <time>, {h} was [playing|walking|sitting|resting] {p.at}. {w.d}.
One <time>, when {w.d}, {h} was {p.at}, [humming a tune|looking around|thinking about nothing at all].
"""

SHARED["meetfriend"] = """
= friend
{h.his} best friend was {f.a}.
{h} had a good friend. It was {f.a}, and the two of them were [always|almost always|often] together.
{h.his} [best|dearest|closest] friend, {f.a}, lived [nearby|next door|just around the corner|a little way off].
nearly every day, {h.he} played with {f.a}.
"""

SHARED["feelsad"] = """
= sad
{h} <felt> <sad>.
{h.s} sat down and [began to cry|put {h.his} head in {h.his} hands|did not know what to do].
A tear [rolled|ran] down {h.his} [cheek|nose|face].
{h.his} heart [felt heavy|sank].
"Oh no!" <cried> {h}. "What [shall|can|should] I do now?"
"Oh dear," <whispered> {h}. "What will I do?"
{h} wanted to cry, but {h.he} took a deep breath [instead|and tried to think].
"""

SHARED["feelhappy"] = """
= happy
{h} was <happy>.
{h.s} [jumped|danced|hopped] for joy.
{h} <smiled> and [clapped|danced in a circle|felt warm inside|sang a little song].
"Hooray!" <cried> {h}.
{h.his} heart [felt light|was full of joy|beat fast with joy].
{h} could not stop smiling.
"I am so happy!" said {h}[, and {h.he} meant it|].
"""

SHARED["home"] = """
= home
<evening>, {h} told {h.his} {k} [the whole story|all about it|everything].
<evening>, {h} lay in bed and [thought about the day|smiled in the dark|listened to the night].
<then> {h} <walked> home, [tired but happy|singing all the way|with a big smile].
<evening>, {h.his} {k} [gave {h.him} a hug|tucked {h.him} in|kissed {h.him} good night]. "I am proud of you," {k.he} said.
When {h} came home, {h.his} {k} had [warm soup|a warm supper|hot milk and bread] ready for {h.him}.
<evening>, the moon [shone|looked down] on {p}, and {h} [slept|fell asleep] with a smile.
"""

SHARED["together"] = """
= together
From that day on, {h} and {f} were [the best of friends|best friends|always together].
{h} and {f} [laughed|smiled] and <walked> home together.
<evening>, {h} and {f} sat side by side and [looked at|counted] the stars.
And whenever {h} [looked at|thought of] {f}, {h.he} smiled.
"You are a [true|real|very good] friend," said {h}. "So are you," said {f}.
{h} and {f} [shared|ate] [a sweet apple|some bread and honey|a big bowl of berries] and talked until it was dark.
"""

SHARED["finish"] = """
~ 0.15 finish
The end.
And that is the end of the story.
And if they have not moved away, they still live there today.
That is how it was, and that is how I tell it.
"""

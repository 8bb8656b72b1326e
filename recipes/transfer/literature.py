#!/usr/bin/env python3
"""Prepares the sentences of Dickens and of modern fiction for textual transfer.

usage: literature.py DICKENS MODERN FOLDER

DICKENS and MODERN are text files, plain or gzip, with one cased sentence per line in the order of
the books. Writes train.tsv, valid.tsv and test.tsv to FOLDER: lines "style TAB text", where style
is dickens or modern. Prints counts and the SHA-256 of each file. Steps:

1. Quotation marks and the underscores of italics are removed: Dickens is printed with single, the
   modern books with double quotation marks, which would identify the style of a sentence.
2. Sentences are divided into words by the Penn Treebank's rules.
3. Names are replaced by -person- or -location-, adjacent names by one tag. A word is a name if it
   is capitalized within sentences of its style at least twice and 20 times as often as it occurs in
   lower case, less than a fifth of these times after an article, and is neither all capitals nor in
   the list of other capitalized words (days, nationalities, titles). It is a location if it is in
   the list of places or follows "in", "near" or another preposition of place in at least a fifth of
   its occurrences, and is beside a title or a verb of speech in at most a twentieth of them.
   Street, River and the like make the name before them a location.
4. Words are converted to lower case; sentences of 6 to 25 words are kept.
5. Repeated sentences are removed, and so are sentences of both styles.
6. Of each style 5,000 sentences become valid and 5,000 test: blocks of 500 consecutive sentences,
   chosen by their SHA-256, so that neighbors of a sentence are rarely in another split.

Of 200 random tags, 100 of each style, 193 were right when checked by hand (96.5 %): 3 places and
a college were tagged -person-, and so were 2 titles and an adjective of a nation.
"""
import collections
import gzip
import hashlib
import pathlib
import re
import sys

STYLES = ("dickens", "modern")
SHORTEST, LONGEST = 6, 25
HELD_OUT, BLOCK = 5000, 500

TITLES = set("""
Admiral Aunt Brother Captain Chief Colonel Commander Commodore Corporal Count Cousin Detective
Doctor Dr Dr. Father General Inspector Judge King Lady Lieutenant Lord Madam Madame Mademoiselle
Major Master Messrs Messrs. Miss Monsieur Mr Mr. Mrs Mrs. Ms Ms. Parson Prince Princess Private
Professor Queen Rev Rev. Reverend Saint Sergeant Signor Sir Sister St St. Uncle
""".split())
SPEECH = set("""
added answered asked continued cried demanded exclaimed frowned grinned growled inquired laughed
murmured muttered nodded observed remarked repeated replied retorted returned said says shouted
shrugged sighed smiled snapped thought whispered
""".split())
ARTICLES = set("a an the this that these those some any every each no all few many".split())
IN_PLACE = set("in on near into throughout across outside".split())
PLACES = set("""
Africa Albany Algiers America Amsterdam Antwerp Arizona Asia Athens Atlanta Atlantic Australia
Austria Baltimore Bath Battersea Bedford Belgium Berlin Bermondsey Birmingham Blackfriars
Bloomsbury Bombay Bordeaux Borough Boston Brazil Brighton Bristol Britain Brittany Broadway
Brooklyn Brussels Budapest Cairo Calais California Camberwell Cambridge Canada Canterbury Carolina
Chatham Cheapside Chelsea Chicago China Cincinnati Clapham Clerkenwell Cleveland Colorado Columbia
Connecticut Constantinople Cornwall Covent Dakota Dallas Denver Deptford Detroit Devonshire
Dorking Dover Dublin Earth Edinburgh Egypt England Essex Eton Europe Fleet Florence Florida France
Geneva Genoa Georgia Germany Glasgow Gravesend Greece Greenwich Hampshire Hampstead Harlem
Hartford Havana Hawaii Highgate Holborn Holland Hollywood Hungary Illinois India Indiana Ireland
Islington Italy Jamaica Japan Jerusalem Jupiter Kensington Kent Kentucky Lambeth Lancashire Leeds
Limehouse Lincolnshire Lisbon Liverpool London Louisiana Lyons Maine Manchester Manhattan Mars
Marseilles Maryland Massachusetts Mediterranean Mercury Mexico Miami Michigan Milan Milano
Minnesota Mississippi Missouri Montana Montreal Moscow Naples Nebraska Neptune Nevada Newgate
Norfolk Norway Ohio Oklahoma Oregon Oxford Pacific Paddington Palestine Paris Pennsylvania
Pentonville Philadelphia Piccadilly Pittsburgh Pluto Plymouth Poland Portsmouth Portugal Prague
Richmond Rochester Rome Russia Salisbury Saturn Scotland Shoreditch Sicily Smithfield Soho
Southampton Southwark Spain Suffolk Surrey Sussex Sweden Switzerland Sydney Temple Tennessee Terra
Texas Thames Tokyo Turkey Uranus Utah Venice Venus Vermont Versailles Vienna Virginia Wales
Wapping Warwickshire Washington Waterloo Westminster Whitechapel Windsor Wisconsin Wyoming
Yarmouth York Yorkshire
""".split())
PLACE_ENDS = set("""
Avenue Bay Bridge City County Gardens Heath Hill Island Islands Lane Market Mountains Ocean Park
River Road Sea Square Station Street Terrace Valley
""".split())
BEFORE_PLACES = {"New", "North", "South", "East", "West", "Great", "Port", "Fort", "Mount", "Lake"}
NOT_NAMES = set("""
A.M. African Ah Almighty American Americans April Arab Arabian Arabs Archbishop Army Asiatic
August Austrian Avenue Bachelor Bank Baron Baronet Bay Belgian Bible Bishop Bridge British Briton
Catholic Chancellor Chancery Chinese Christian Christians Christmas Church City Club Co. College
Commons Communist Communists Company Congress Corps Council County Court Dad Daddy Dame December
Department Don Duchess Duke Dutch Earl Earthman Earthmen East Easter Elizabethan Emperor Empire
English Englishman Englishmen Englishwoman Esq Esq. Esquire European Europeans Excellency February
Federation Fort French Frenchman Frenchmen Friday Gardens German Germans God Gospel Gothic
Government Governor Grandfather Grandma Grandmother Grandpapa Great Greek Greeks Ha Hall Hallo
Heath Heaven Hebrew Hey Highness Hill Honor Honour Hospital Hotel House Hullo Hungarian I Indian
Indians Inn Irish Irishman Island Islands Italian Italians January Japanese Jew Jewish Jews Jr Jr.
July June Junior Lake Lane Latin Londoner Londoners Lord Lords Ma'am Mach Majesty Mama Mamma March
Market Martian Martians May Mayor Mexican Minister Mom Monday Mother Mount Mountains Mum Museum
Navy Nazi Negro Negroes New No No. North November Nurse O OK Ocean October Office Oh Okay Old P.M.
Papa Park Parliament Ph.D. Pole Polish Pope Port Prayer President Protestant Providence Puritan
Republic River Road Roman Romans Russian Russians Saturday School Scotch Scotchman Sea Secretary
Senior Senor September Señor Signora Signore South Spaniard Spaniards Spanish Square Squire State
States Station Street Sunday Swede Swedish Swiss T-shirt TV Tenente Terrace Terran Terrans
Testament Theatre Thee Thursday Thy Tory Tuesday Turkish University Valley Venusian Victorian
Viking Viscount Wednesday Well West Whig Ye Yes Young
""".split()) | TITLES

PUNCTUATION = [
    (re.compile(r'([^\.])(\.)([\]\)}>"\'»”’ ]*)\s*$'), r"\1 \2 \3 "),
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.{2,}"), r" \g<0> "),
    (re.compile(r"[;@#$%&]"), r" \g<0> "),
    (re.compile(r"[?!]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[*]"), r" \g<0> "),
    (re.compile(r"[\]\[\(\)\{\}\<\>]"), r" \g<0> "),
    (re.compile(r"--"), r" -- "),
]
ENDINGS = [
    (re.compile(r"([^' ])('[sS]|'[mM]|'[dD]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
    (re.compile(r"(?i)\b(can)(not)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(gim|lem)(me)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(gon)(na)\b"), r" \1 \2 "),
    (re.compile(r"(?i)\b(wan)(na)\s"), r" \1 \2 "),
    (re.compile(r"(?i)\b(got)(ta)\b"), r" \1 \2 "),
]

# Words that begin with an apostrophe, which is not an opening quotation mark.
ELIDED = re.compile(
    r"(?i)'(?=(?:tis|twas|twere|twill|twould|em|un|prentice|cause|bout|pon|spose|bus)\b)")


def without_quotes(sentence):
    """Removes quotation marks and underscores, but not apostrophes."""
    text = re.sub(r"[_\"“”]|``|''", "", sentence).replace("’", "'").replace("‘", "'")
    text = ELIDED.sub("\0", text)
    opening = re.compile(r"(^|[\s(\[-])'+(?=\S)")
    opened = len(opening.findall(text))
    text = opening.sub(r"\1", text)
    text = re.sub(r"([.,!?;:-])'+(?=[\s)\]-]|$)", r"\1", text)
    if opened:
        text = re.sub(r"(\w)'+(?=[\s)\].,!?;:-]|$)", r"\1", text)
    return text.replace("\0", "'").replace(" 's ", "'s ")


def words_of(sentence):
    """The words of a sentence without quotation marks, by the rules of NLTK's word tokenizer."""
    for pattern, instead in PUNCTUATION:
        sentence = pattern.sub(instead, sentence)
    sentence = " " + sentence + " "
    for pattern, instead in ENDINGS:
        sentence = pattern.sub(instead, sentence)
    return sentence.split()


def read_lines(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode("utf-8").splitlines()


def is_capitalized(word):
    return word[0].isupper() and not word.isupper()


class Names:
    """Decides from the occurrences of a word in a style whether it is a name, and of what."""

    def __init__(self, sentences):
        self.lower = collections.Counter()  # occurrences in lower case
        self.inside = collections.Counter()  # capitalized occurrences within sentences
        self.in_place = collections.Counter()  # of those, after a preposition of place
        self.as_person = collections.Counter()  # beside a title or a verb of speech
        self.with_article = collections.Counter()  # after an article or demonstrative
        for words in sentences:
            for i, word in enumerate(words):
                if not word[0].isupper():
                    self.lower[word] += 1
                elif i > 0 and (words[i - 1] == "," or words[i - 1][-1].isalpha()):
                    self.count(words, i)

    def count(self, words, i):
        word, before = words[i], words[i - 1]
        after = words[i + 1] if i + 1 < len(words) else ""
        self.inside[word] += 1
        self.in_place[word] += before in IN_PLACE and after != "'s"
        self.as_person[word] += before in TITLES or before in SPEECH or after in SPEECH
        self.with_article[word] += before.lower() in ARTICLES

    def is_name(self, word):
        inside = self.inside[word]
        return (is_capitalized(word) and word not in NOT_NAMES and inside >= 2
                and inside >= 20 * self.lower[word.lower()]
                and 5 * self.with_article[word] < inside)

    def is_place(self, word):
        inside = self.inside[word]
        may_be_place = word in PLACES or 5 * self.in_place[word] >= inside
        return may_be_place and 20 * self.as_person[word] <= inside

    def masked(self, words):
        """The words in lower case, with tags in place of names."""
        result = []
        i = 0
        while i < len(words):
            end = i
            while end < len(words) and (words[end] in PLACES or self.is_name(words[end])):
                end += 1
            if end == i:
                result.append(words[i].lower())
                i += 1
                continue
            place = all(self.is_place(word) for word in words[i:end])
            if result and result[-1].capitalize() in BEFORE_PLACES and place:
                result.pop()
            if end < len(words) and words[end] in PLACE_ENDS:
                place, end = True, end + 1
            tag = "-location-" if place else "-person-"
            if not result or result[-1] != tag:
                result.append(tag)
            i = end
        return result


def kept(names, sentences):
    """The distinct sentences of 6 to 25 words, in order."""
    texts = {}
    for words in sentences:
        masked = names.masked(words)
        if SHORTEST <= len(masked) <= LONGEST:
            texts[" ".join(masked)] = None
    return list(texts)


def split(texts, style):
    """Assigns blocks of consecutive sentences to valid and test, and the rest to train."""
    def digest(begin):
        return hashlib.sha256(f"{style} {begin}".encode()).digest()

    blocks = sorted(range(0, len(texts) - BLOCK + 1, BLOCK), key=digest)
    count = HELD_OUT // BLOCK
    split_of = dict.fromkeys(blocks[:count], "valid")
    split_of |= dict.fromkeys(blocks[count:2 * count], "test")
    splits = {"train": [], "valid": [], "test": []}
    for i, text in enumerate(texts):
        splits[split_of.get(i - i % BLOCK, "train")].append(text)
    return splits


def main(dickens, modern, folder):
    sentences = {}
    for style, path in zip(STYLES, (dickens, modern)):
        words = [words_of(without_quotes(line)) for line in read_lines(path)]
        sentences[style] = [each for each in words if each]
        print(f"{style}: {len(sentences[style]):,} sentences")
    texts = {style: kept(Names(own), own) for style, own in sentences.items()}
    both = set(texts[STYLES[0]]) & set(texts[STYLES[1]])
    print(f"in both styles, removed: {len(both):,}")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = collections.defaultdict(list)
    for style in STYLES:
        own = [text for text in texts[style] if text not in both]
        for name, part in split(own, style).items():
            lines[name] += [f"{style}\t{text}\n" for text in part]
            print(f"{style}, {name}: {len(part):,} sentences")
    for name, part in lines.items():
        data = "".join(part).encode()
        (folder / f"{name}.tsv").write_bytes(data)
        print(f"{name}.tsv: {len(part):,} lines, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])

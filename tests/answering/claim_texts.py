"""Passages and answers for the claim check: fiction in English, Japanese and German.

Every answer restates its passages fairly, some word for word, some shortened, some reordered.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FairAnswer:
    """Sentences, each with the ids of the passages it cites."""

    sentences: tuple[tuple[str, tuple[str, ...]], ...]


PASSAGES: dict[str, str] = {
    "mill": (
        "The mill at Corrie Water stood empty for a decade. It was not sold in"
        " 1931, although two"
        " buyers came. Margaret Oakes kept the keys and oiled the wheel every"
        " spring. In April 1938"
        " the council paid 640 pounds for the roof, and 14 volunteers laid the slates. Nobody"
        " painted the door."
    ),
    "boats": (
        "Isobel Tarn built 27 rowing boats in the shed behind the chapel at"
        " Port Garron. The longest"
        " measured 9 metres and carried eleven people to the island fair on 3"
        " June 1952. She used"
        " larch from the Lennoch estate and never signed her work. “A boat"
        " should forget who made"
        " it,” she told Hamish Dunne."
    ),
    "kites": (
        "The kite school met on Thursdays above the bakery in Fellside. Its"
        " teacher, Osric Pell,"
        " asked each child to bring 5 sheets of paper and 30 metres of line."
        " Of the 48 pupils only"
        " three did not finish a kite. On 17 September 1964 they flew all of"
        " them from Raven Hill,"
        " and the wind took nine."
    ),
    "bees": (
        "My aunt Philippa Grange kept 16 hives on the slope above Allerby. She"
        " did not wear gloves"
        " and was stung about twice a week. In the summer of 1976 the hives"
        " gave 210 kilograms of"
        " honey, most of which went to the hospital in Thorne. The bees were"
        " never moved in winter."
    ),
    "ferry": (
        "The ferry Constance began to run between Halsey and Minch Point on 22 March 1907. She"
        " carried 60 cattle on her first day and 112 passengers on her second."
        " Captain Ruan Leask"
        " did not allow music on Sundays. After the storm of November 1921 the pier was rebuilt"
        " with stone from Quarry Bay."
    ),
    "clock": (
        "The town clock of Ardle has no minute hand. Edmund Voss designed it"
        " in 1888 for 75 guineas,"
        " and the mayor refused to pay the last third. It strikes 13 times at"
        " noon. Wilhelmina Croft"
        " wound it for 41 years without a day of leave."
    ),
    "水車": (
        "丘の水車は1931年には売られなかった。鍵は大森静江が預かり、毎年春に油をさした。"
        "1938年4月に役場が屋根に640円を払い、14人の若者が瓦をふいた。扉は誰も塗らなかった。"
    ),
    "舟": (
        "谷口イサベルは礼拝堂の裏の小屋で27艘の舟をつくった。いちばん長い舟は9メートルで、"
        "1952年6月3日に十一人を島の祭りへ運んだ。木はレノック山の唐松を使い、作品に名を入れなかった。"
        "「舟は作った人を忘れるべきだ」と彼女は藤本一馬に語った。"
    ),
    "凧": (
        "凧の学校は木曜日にパン屋の二階で開かれた。先生の小笠原修は子どもたちに紙を5枚と糸を30メートル"
        "持って来させた。48人の生徒のうち凧を仕上げなかったのは三人だけだった。"
        "1964年9月17日にカラス山から全部を揚げ、風が九つをさらった。"
    ),
    "蜂": (
        "叔母の本間フサは斜面に16箱の巣箱を置いていた。手袋をはめず、週に二度は刺された。"
        "1976年の夏、巣箱からは210キログラムの蜜がとれ、多くはトルネの病院へ送られた。"
        "冬に巣箱を動かすことはなかった。"
    ),
    "muehle": (
        "Die Mühle am Erlenbach stand zehn Jahre leer. Sie wurde 1931 nicht"
        " verkauft, obwohl zwei"
        " Käufer kamen. Margarete Ohlsen behielt die Schlüssel und ölte das"
        " Rad in jedem Frühling."
        " Im April 1938 zahlte die Gemeinde 640 Mark für das Dach, und 14"
        " Freiwillige legten den"
        " Schiefer. Die Tür hat niemand gestrichen."
    ),
    "boote": (
        "Isolde Tarnow baute im Schuppen hinter der Kapelle von Garrenhafen 27"
        " Ruderboote. Das längste"
        " maß 9 Meter und brachte am 3. Juni 1952 elf Menschen zum Inselfest."
        " Sie nahm Lärche aus dem"
        " Lennwald und signierte ihre Arbeit nie. „Ein Boot soll vergessen,"
        " wer es gebaut hat“, sagte"
        " sie zu Harm Dunker."
    ),
    "drachen": (
        "Die Drachenschule traf sich donnerstags über der Bäckerei in Felsau."
        " Ihr Lehrer Oskar Pelling"
        " ließ jedes Kind 5 Bogen Papier und 30 Meter Schnur mitbringen. Von"
        " den 48 Schülern wurden nur"
        " drei nicht fertig. Am 17. September 1964 ließen sie alle vom"
        " Rabenberg steigen, und der Wind"
        " nahm neun mit."
    ),
}

ANSWERS: tuple[FairAnswer, ...] = tuple(
    FairAnswer(sentences)
    for sentences in (
        (
            ("The mill at Corrie Water was not sold in 1931.", ("mill",)),
            ("Isobel Tarn built 27 rowing boats in a shed at Port Garron.", ("boats",)),
        ),
        (
            ("In April 1938 the council paid 640 pounds for the roof of the mill.", ("mill",)),
            ("The hives gave 210 kilograms of honey in the summer of 1976.", ("bees",)),
        ),
        (
            ("The longest boat measured 9 metres and carried eleven people.", ("boats",)),
            ("Only three of the 48 pupils did not finish a kite.", ("kites",)),
        ),
        (
            ("Captain Ruan Leask did not allow music on Sundays.", ("ferry",)),
            ("Edmund Voss designed the clock in 1888 for 75 guineas.", ("clock",)),
        ),
        (
            ("The ferry Constance carried 60 cattle on her first day.", ("ferry",)),
            ("Philippa Grange did not wear gloves.", ("bees",)),
        ),
        (
            ("The pupils flew their kites from Raven Hill on 17 September 1964.", ("kites",)),
            ("Margaret Oakes oiled the wheel of the mill every spring.", ("mill",)),
        ),
        (
            ("The clock strikes 13 times at noon.", ("clock",)),
            ("The ferry began to run between Halsey and Minch Point on 22 March 1907.", ("ferry",)),
        ),
        (
            ("Wilhelmina Croft wound the clock for 41 years.", ("clock",)),
            (
                "Isobel Tarn never signed her work and used larch from the Lennoch estate.",
                ("boats",),
            ),
        ),
        (
            ("“A boat should forget who made it,” Isobel Tarn told Hamish Dunne.", ("boats",)),
            ("Osric Pell asked each child to bring 5 sheets of paper.", ("kites",)),
        ),
        (
            ("The bees were never moved in winter.", ("bees",)),
            ("After the storm of November 1921 the pier was rebuilt with stone.", ("ferry",)),
        ),
        (
            (
                "Philippa Grange kept 16 hives above Allerby, and Osric Pell taught 48 pupils.",
                ("bees", "kites"),
            ),
            ("The mayor refused to pay the last third.", ("clock",)),
        ),
        (
            ("水車は1931年には売られなかった。", ("水車",)),
            ("谷口イサベルは27艘の舟をつくった。", ("舟",)),
        ),
        (
            ("1938年4月に役場が屋根に640円を払った。", ("水車",)),
            ("1976年の夏、巣箱から210キログラムの蜜がとれた。", ("蜂",)),
        ),
        (
            ("いちばん長い舟は9メートルで、十一人を島の祭りへ運んだ。", ("舟",)),
            ("凧を仕上げなかったのは48人の生徒のうち三人だけだった。", ("凧",)),
        ),
        (
            ("1964年9月17日にカラス山から凧を揚げた。", ("凧",)),
            ("鍵は大森静江が預かった。", ("水車",)),
        ),
        (
            ("叔母の本間フサは16箱の巣箱を置いていた。", ("蜂",)),
            ("小笠原修は子どもたちに紙を5枚持って来させた。", ("凧",)),
        ),
        (
            ("木はレノック山の唐松を使い、作品に名を入れなかった。", ("舟",)),
            ("蜜の多くはトルネの病院へ送られた。", ("蜂",)),
        ),
        (
            ("彼女は藤本一馬に「舟は作った人を忘れるべきだ」と語った。", ("舟",)),
            ("冬に巣箱を動かすことはなかった。", ("蜂",)),
        ),
        (
            ("Die Mühle am Erlenbach wurde 1931 nicht verkauft.", ("muehle",)),
            ("Isolde Tarnow baute 27 Ruderboote im Schuppen hinter der Kapelle.", ("boote",)),
        ),
        (
            ("Im April 1938 zahlte die Gemeinde 640 Mark für das Dach der Mühle.", ("muehle",)),
            ("Das längste Boot maß 9 Meter und brachte elf Menschen zum Inselfest.", ("boote",)),
        ),
        (
            ("Nur drei von den 48 Schülern wurden nicht fertig.", ("drachen",)),
            ("Margarete Ohlsen ölte das Rad in jedem Frühling.", ("muehle",)),
        ),
        (
            ("Oskar Pelling ließ jedes Kind 30 Meter Schnur mitbringen.", ("drachen",)),
            ("Isolde Tarnow signierte ihre Arbeit nie.", ("boote",)),
        ),
        (
            ("Am 17. September 1964 ließen sie alle Drachen vom Rabenberg steigen.", ("drachen",)),
            ("„Ein Boot soll vergessen, wer es gebaut hat“, sagte sie zu Harm Dunker.", ("boote",)),
        ),
    )
)

NAMES: dict[str, str] = {
    "Isobel": "Rowena",
    "Tarn": "Blythe",
    "Port Garron": "Port Ennis",
    "Leask": "Munro",
    "Edmund": "Lionel",
    "Constance": "Beatrice",
    "Philippa": "Harriet",
    "Raven Hill": "Falcon Hill",
    "Margaret": "Eleanor",
    "Minch Point": "Gull Point",
    "Wilhelmina": "Josephine",
    "Lennoch": "Strathy",
    "Hamish": "Duncan",
    "Osric": "Alaric",
    "Corrie": "Mossie",
    "イサベル": "マリア",
    "谷口": "上原",
    "大森静江": "黒田文子",
    "カラス": "ツバメ",
    "本間フサ": "石井ハナ",
    "小笠原修": "徳永稔",
    "レノック": "アルプス",
    "トルネ": "パリ",
    "藤本一馬": "岡部健二",
    "Erlenbach": "Weidenbach",
    "Isolde": "Henriette",
    "Tarnow": "Kessler",
    "Ohlsen": "Brandt",
    "Margarete": "Friederike",
    "Pelling": "Voigt",
    "Rabenberg": "Geiersberg",
    "Harm Dunker": "Klaas Onken",
}
NEGATIONS: tuple[tuple[str, str], ...] = (
    ("was not sold", "was sold"),
    ("did not finish", "did finish"),
    ("did not allow", "did allow"),
    ("did not wear", "did wear"),
    ("never signed", "signed"),
    ("were never moved", "were moved"),
    ("売られなかった", "売られた"),
    ("仕上げなかった", "仕上げた"),
    ("入れなかった", "入れた"),
    ("動かすことはなかった", "動かすことはあった"),
    ("nicht verkauft", "verkauft"),
    ("nicht fertig", "fertig"),
    ("ihre Arbeit nie", "ihre Arbeit"),
)

"""Words that carry no topic, and the language of a text as far as they tell (R166)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeAlias

Language: TypeAlias = str

STOP_WORDS: Final[dict[Language, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": (
            "a about after again all also am an and any are as at be because been before being"
            " both but by can could did do does doing don down during each else ever every few"
            " for from further had has have having he her here hers herself him himself his how"
            " i if in into is it its itself just let ll may me might many more most much must my"
            " myself no nor not of off on once one only or other our ours out over own per re s"
            " same shall she should so some such t than that the their theirs them then there"
            " these they this those through to too under until up upon us ve very was we were"
            " what when where whether which while who whom whose why will with within without"
            " would yes yet you your yours"
            " never nobody none nothing nowhere"
        ),
        "de": (
            "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis da"
            " dann das dass dein dem den denn der des dessen die dies diese diesem diesen"
            " dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas"
            " euch euer für gegen gibt habe haben hat hatte hatten hier ihm ihn ihr ihre ihrem"
            " ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jene kann kein keine"
            " keinem keinen keiner können mal man mein mich mir mit muss nach nicht noch nun"
            " nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so"
            " soll sondern über um und uns unser unter vom von vor war waren warum was wegen"
            " weil welche welchem welchen welcher welches wem wen wenn wer werden wessen wie"
            " wieder will wir wird wo wurde wurden zu zum zur zwischen"
            " nichts nie niemals niemand viel viele"
        ),
        "fr": (
            "a ai au aucun aucune aussi autre aux avait avec avoir c ce cela celle celui ces"
            " cet cette comme comment d dans de des donc dont du elle elles en entre est et eu"
            " eux fut il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos"
            " notre nous on ont ou où par pas plus pour pourquoi qu quand que quel quelle"
            " quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un"
            " une vers vos votre vous y à été était être"
            " combien jamais rien"
        ),
        "es": (
            "a al algo ante antes aquel aquella como con contra cual cuando cuál cuándo cuánto"
            " cuántos cómo de del desde donde dos dónde e el ella ellas ellos en entre era eran"
            " es esa ese eso esta estaba este esto estos está están fue fueron ha había hasta"
            " hay la las le les lo los me mi mis más muy ni no nos o otra otro para pero por"
            " porque que quien quién qué se ser si sido sin sobre son su sus sí también te tu"
            " un una unas uno unos y ya yo"
            " nada nadie nunca"
        ),
        "it": (
            "a ad ai al alla alle anche che chi ci come con cosa cui da dai dal dalla de degli"
            " dei del della delle di dove e ed era erano essere fra gli ha hanno i il in io l"
            " la le lei lo loro lui ma mi mia mio ne nei nel nella non o ogni per perché più"
            " quale quali quando quanto quanti quella quello questa questi questo se si sia"
            " sono su sua sue sul sulla suo suoi tra tu un una uno vi è"
        ),
        "pt": (
            "a ao aos as até com como da das de dela dele do dos e ela elas ele eles em entre"
            " era essa esse esta estava este está eu foi foram há isso isto já lhe mais mas me"
            " mesmo meu minha muito na nas nem no nos não o onde os ou para pela pelo por"
            " porque quais qual quando quanto quantos que quem se sem ser seu seus sobre sua"
            " suas são também um uma você"
        ),
        "nl": (
            "aan al alle als bij daar dan dat de der deze die dit door een en er geen had haar"
            " hebben heeft hem het hij hoe hun ik in is je kan maar me met mijn naar niet nog"
            " nu of om onder ook op over te toen tot u uit van veel voor waar waarom wanneer"
            " was wat we welk welke werd werden wie wij wordt zal ze zich zij zijn zo"
        ),
        "sv": (
            "alla att av blev bli de dem den denna det detta dig din du där efter eller en ett"
            " från för ha hade han har hon hur hans hennes i icke inte jag kan man med men mig"
            " min mot när och om på sedan sig sin sina skall som så till under upp ut vad var"
            " varför vem vid vi vilka vilken vilket är över"
        ),
        "da": (
            "af alle at blev bliver da de dem den denne der deres det dette din du efter eller"
            " en er et for fra han hans har havde hun hvad hvem hvilke hvilken hvor hvordan"
            " hvorfor hvornår i ikke ikkje jeg kan man med men mig min mod mot når og også om"
            " op over på sig sin skal som til ud under var ved vi"
        ),
        "pl": (
            "ale bo by był była było były co czy dla do gdy gdzie go i ich ile ja jak jaka jaki"
            " jakie jako jego jej jest już kiedy kim kto która które który lub ma mi mnie na"
            " nad nie o od on ona oni po pod przez przy są się ta tak także tam te tego ten to"
            " tym u w we z za ze że"
        ),
        "ru": (
            "а без более бы был была были было в вам вас все всё вы где да для до его ее её"
            " если есть ещё же за и из или им их к как какая какие какой когда кого кто ли"
            " между меня мне мы на над не него нее ней нет но ну о об он она они оно от по под"
            " почему при с сколько со так также там то того только том ты у уже чем что чтобы"
            " это этого этой этот эти я"
        ),
        "tr": (
            "ama bir bu da daha de değil diye en gibi hangi hem için ile ise kaç ki kim mi mu"
            " mı ne neden nasıl nerede o olan olarak onun sonra ve veya ya zaman çok"
        ),
        "id": (
            "ada adalah akan apa atau bagaimana bagi bahwa berapa dalam dan dari dengan di dia"
            " ini itu juga karena ke kapan kepada mana mereka oleh pada saat saya sebagai"
            " sebuah siapa telah untuk yang"
        ),
        "vi": (
            "bao các có của cho cái gì khi không là một mà ở nào này những nhiều thì trong tại"
            " từ và về với vào đã đâu được đó ai sao"
        ),
        "ar": (
            "أن أو أي أين إلى إن الذي التي الى ان او عن على فى في قد كان كانت كم كما كيف لا لم"
            " لماذا ما ماذا متى مع من منذ هذا هذه هل هو هي و ذلك تلك"
        ),
        "he": (
            "אל אם אשר את הוא היא הם היה הייתה זה זו כי כל כמה לא למה מה מי מתי על עם של איך איפה"
        ),
        "hi": (
            "और इस इसके उस उसके एक कब कहाँ का कि किस किसने की के को कौन क्या क्यों कितने कैसे"
            " जो तक था थी थे ने पर भी में यह या वह से है हैं हो"
        ),
        "ko": (
            "것 그 그리고 누가 누구 누구의 등 및 수 어느 어디 어디에 어떤 어떻게 언제 왜 이 저 무엇"
            " 무엇을 무슨 몇"
        ),
        "el": (
            "από για δεν είναι ένα ένας η ήταν θα και κατά με μια να ο οι όπως ότι που πού πότε"
            " πώς ποια ποιο ποιος σε στη στην στο στον τα τη την της τι το τον του τους των ως"
        ),
    }.items()
}

# Particles, endings and question words written in Hiragana; longest first, so that a long one is
# not eaten piece by piece.
_HIRAGANA = (
    "について によって において における として とともに ていました ていません"
    " ています ていた ている でしたか でした ですか ました ません ますか ます です"
    " だった だけ であり であった である では には とは へは からは までは のは"
    " のが のを のに ので から まで より など ながら この その あの どの これ"
    " それ あれ どれ ここ そこ どこ いつ だれ なに なん なぜ どう どんな"
    " どのように いくつ いくら という といった された されて される され した して"
    " する しい しく ない なかった なく いる ある あった いた った って られた"
    " られて られる られ れた れて れる せた せて せる は が を に へ と で も"
    " の か や"
)
HIRAGANA_STOPS: Final[tuple[str, ...]] = tuple(
    sorted(_HIRAGANA.split(), key=lambda word: (-len(word), word))
)
# What may follow a Han character as the ending of its word.
OKURIGANA: Final = frozenset("いうくきけえしさせりるれろらんなたてだねよげぐびぶみむつちまめ")
QUESTION_HAN: Final = frozenset("何誰")
CHINESE_STOPS: Final = QUESTION_HAN | frozenset(
    "的了是在和与吗嗎呢么麼什谁哪几幾怎这這那您你我他她它们們就都也把被"
)


# Which languages a stop word belongs to: a passage asks once a word.
_LANGUAGES_OF: Final[dict[str, tuple[Language, ...]]] = {
    word: tuple(language for language, stops in STOP_WORDS.items() if word in stops)
    for word in sorted(frozenset[str]().union(*STOP_WORDS.values()))
}


def language_of(words: Iterable[str]) -> Language | None:
    """The language whose stop words are most frequent among `words`; None when there is none.

    A tie goes to the language that stands first in the table.
    """
    counts: Counter[Language] = Counter()
    for word in words:
        counts.update(_LANGUAGES_OF.get(word, ()))
    if not counts:
        return None
    most = max(counts.values())
    return next(language for language in STOP_WORDS if counts[language] == most)


def stop_words_of(language: Language | None) -> frozenset[str]:
    return STOP_WORDS.get(language, frozenset()) if language else frozenset()

"""Words that say little in a question: left out of queries (never of the index) unless nothing else is asked."""

from __future__ import annotations

_LISTS = {
    "english": """
        a about above after again against all also am an and any are as at be because been before being below between
        both but by can could did do does doing don't down during each few for from further had has have having he her
        here hers him his how i if in into is it its itself just may me might more most must my no nor not of off on
        once only or other our ours out over own same shall she should so some such than that the their theirs them
        then there these they this those through to too under until up very was we were what when where which while
        who whom why will with would you your yours
    """,
    "german": """
        aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den denn der des dich
        die dies diese dieser dieses dir doch dort du durch ein eine einem einen einer eines er es für hat hatte habe
        haben hier ich ihr ihre im in ist ja jede jeder kann kein keine können man mein mich mir mit muss nach nicht
        noch nun nur ob oder ohne sein seine sich sie sind so soll über um und uns unser unter vom von vor war waren
        warum was weil welche welcher wenn wer werden wie wieder will wir wird wo zu zum zur
    """,
    "french": """
        à au aux avec ce ces cet cette comme comment dans de des donc du elle elles en est et eu être fait il ils j je
        l la le les leur leurs lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas peut plus pour
        pourquoi qu quand que quel quelle qui quoi sa sans se ses si son sont sur ta te tes toi ton tu un une vos
        votre vous y
    """,
    "spanish": """
        a al algo antes como cómo con cual cuál cuando cuándo de del desde donde dónde dos el él ella ellas ellos en
        entre era es esa ese eso esta está estas este esto estos fue ha hacer hasta hay la las le les lo los más me mi
        mis muy no nos o para pero por porque puede que qué quien quién se ser si sí sin sobre son su sus también te
        tiene tu un una uno y ya yo
    """,
    "italian": """
        a ai al alla alle anche c che chi ci come con cosa cui da dal dalla dei del della delle di dove e è ed era
        fare gli ha ho i il in io la le lei lo loro lui ma mi mia mio ne nei nel nella no noi non o per perché più può
        quale quando quella quello questa questo se si sia sono su sua sul sulla suo ti tra tu tutti un una uno voi
    """,
    "portuguese": """
        a ao aos as até com como da das de dela dele do dos e é ela ele eles em entre era essa esse esta está este eu
        foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós o onde os ou para pela
        pelo por porque pode qual quando que quem se sem ser seu são só sua também te tem um uma você
    """,
    "dutch": """
        aan al als bij dan dat de der deze die dit doe door een en er ge geen had hebben heb heeft hem het hier hij
        hoe hun ik in is ja je kan kon kunnen maar me met mij mijn moet na naar niet niets nog nu of om omdat onder
        ons ook op over te tegen toch toen tot u uit uw van veel voor waar waarom was wat we wel werd wie wij wil
        worden zal ze zelf zich zij zijn zo zonder zou
    """,
    "swedish": """
        att av blir de den det denna detta dig din du där efter ej eller en er ett från för ha hade han har hon hur i
        icke in inte jag kan man med mig min mot ni nu när något och om oss på sig sin ska som så till under upp ut
        vad var varför vem vi vid är
    """,
    "danish": """
        af alle at blev bliver da de dem den denne der det dette dig din du efter eller en er et for fra ha han har
        havde hende her hos hun hvad hvem hvis hvor hvordan hvorfor i ikke ind jeg kan man med mig min mod ned noget
        nogle nu når og også om op os over på sig sin skal som så til ud under var vi vil
    """,
    "norwegian": """
        alle at av blir da de deg dem den denne der det dette din du eller en er et etter for fra ha han har hun hva
        hvem hvis hvor hvordan hvorfor i ikke inn jeg kan man med meg min mot ned noe noen nå når og også om opp oss
        over på seg sin skal som så til ut var ved vi vil
    """,
    "russian": """
        а без бы был была были было быть в вам вас все всё вы где да для до его ее её если есть еще ещё же за и из или
        им их к как какая какие какой когда кто ли мне мой можно мы на над надо не него нет ни но ну о об он она они
        оно от по под почему при с со так также там тем то того тоже только том ты у уже чем что чтобы эта эти это
        этот я
    """,
}

_SETS = {language: frozenset(words.split()) for language, words in _LISTS.items()}


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, lower-case; none for one without a list."""
    return _SETS.get(language, frozenset())

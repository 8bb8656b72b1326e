// The embedded news grammar. No word occurs in two rules that apply at the same position of a
// sentence, and the first word of a phrase determines which phrase was chosen. Each sentence
// therefore has one derivation, and the entropy is exact.
#include "framework/core/sources/grammar.h"

namespace lvtext {
namespace {

constexpr const char* kNews = R"(
sentence = 5: crime | 4: business | 4: sport | 3: politics | 2: weather
crime = crime_who crime_did tail
crime_who = 4: CITY police | 3: NUMBER SUSPECT | 2: the COURT
crime_did = 3: CAUGHT object | 2: ACCUSED OF_PEOPLE of OFFENCE | 1: blame object
object = 3: a QUALITY PERSON | 2: NUMBER PERSONS | 1: the PERSON
business = company business_did tail
company = 4: COMPANY | 2: CARRIER airlines | 1: bank of COUNTRY
business_did = 3: DEAL a STAGE business_thing | 2: CUT NUMBER hundred jobs | 2: reports higher MONEY | 1: reports lower MONEY
business_thing = 3: PRODUCT | 1: PRODUCT plant
sport = 3: TEAM sport_result tail | 2: STAR sport_personal tail
sport_result = 3: BEAT TEAM_AGAIN | 2: sign a FOREIGN PLAYER | 1: appoint the new coach
sport_personal = 3: wins the CONTEST | 2: injures a LIMB | 2: leaves TEAM_AGAIN
politics = politician politics_did tail
politician = 3: the OFFICE | 2: COUNTRY OFFICE
politics_did = 3: urges COUNTRY_AGAIN to REFORM the LAW | 3: REJECTS the POLICY LAW | 2: visits COUNTRY_AGAIN
weather = WEATHER HITS the REGION coast tail_short
tail = 3: when | 3: where when | 2: where | 2: after why | 1: after why when
tail_short = 2: when | 1: where
where = 3: in CITY_AGAIN | 1: near CITY_AGAIN
when = 4: on DAY | 2: late on DAY | 2: this TIME | 1: DAYTIME
why = 3: a CAUSE | 1: NUMBER CAUSES
CITY ~ london boston chicago paris sydney dublin glasgow mumbai toronto berlin
CITY_AGAIN ~ london paris chicago boston dublin sydney mumbai glasgow berlin toronto
SUSPECT ~ men women teenagers students soldiers drivers brothers guards
COURT ~ court jury judge prosecutor sheriff
CAUGHT ~ arrest charge question detain release identify rescue shoot
ACCUSED ~ accuse convict suspect
OF_PEOPLE ~ residents protesters farmers tourists officials workers
OFFENCE ~ fraud murder theft arson assault smuggling bribery
QUALITY ~ local former young elderly wanted missing homeless
PERSON ~ man woman teacher driver student officer doctor priest nurse pilot
PERSONS ~ suspects passengers witnesses gunmen children patients neighbours
NUMBER ~ two three four five six seven ten twelve
COMPANY ~ google apple microsoft sony nokia toyota ford intel samsung boeing
CARRIER ~ delta united british alaska
COUNTRY ~ china india russia france japan brazil canada egypt spain greece
COUNTRY_AGAIN ~ iran israel turkey syria germany mexico pakistan ukraine
DEAL ~ launches unveils announces plans delays sells
STAGE ~ new cheap second global joint major
PRODUCT ~ phone tablet car engine browser service network camera
CUT ~ cuts adds moves
MONEY ~ profit sales revenue earnings costs
TEAM ~ arsenal chelsea liverpool everton celtic rangers lakers yankees
TEAM_AGAIN ~ barcelona juventus porto ajax benfica valencia napoli
STAR ~ federer nadal williams woods bolt phelps hamilton
BEAT ~ beat defeat thrash face draw
FOREIGN ~ brazilian spanish italian french german
PLAYER ~ striker goalkeeper defender midfielder winger
CONTEST ~ title final race tournament medal
LIMB ~ knee shoulder hip wrist hamstring
OFFICE ~ president minister senate mayor governor parliament senator
REFORM ~ reform change ease drop respect
LAW ~ law budget treaty bill tax
REJECTS ~ rejects backs signs defends criticises
POLICY ~ health education climate trade immigration
WEATHER ~ snow rain fog lightning hail wind
HITS ~ hits batters covers threatens
REGION ~ eastern western northern southern
DAY ~ monday tuesday wednesday thursday friday saturday sunday
TIME ~ week morning year month weekend
DAYTIME ~ today yesterday tonight
CAUSE ~ robbery crash fire strike protest scandal flood shooting vote
CAUSES ~ complaints explosions warnings accidents attacks
)";

}  // namespace

const Grammar& Grammar::news() {
  static const Grammar grammar(kNews);
  return grammar;
}

}  // namespace lvtext

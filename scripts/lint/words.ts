/** The words of docs/glossary.md: what they replaced comes back neither in code nor in what people read. */
import type { Finding } from './codeStyle.ts';

/** Names that code no longer uses, each with the field's word. */
const NAMES: readonly [old: RegExp, word: string][] = [
  [/\b(?:un|re)?dress(?:ed|es|ing)?\b|\b(?:un|re)dress[A-Z]|[a-z]Dress\b|\bDress\b/, 'format, parse'],
  [/\bbreathe/, 'yield to the event loop'],
  [/\b(?:MOST|LEAST)_[A-Z]/, 'MAX_, MIN_'],
  [/AnswerStore|answerOnce/, 'IdempotencyStore, idempotent'],
  [/\b[uU]pkeep|callOut|[mM]isfit\b|\bUnsaid\b/, 'Maintenance, webhookSender, SupportViolation, RelationDraft'],
  [/\bgive_away\b|\bgives_up\b/, 'feature_importance, tradeoffs'],
  [/\bgoesOn\b|\bfirstStep\b|\benergyFraction\b/, 'U-turn criterion, initial step size, E-BFMI'],
  [/\bunled\b|\bfollowersOf\b/, 'comonotone columns'],
  [/\bevenUniforms\b|\bevenAmongLike\b/, 'stratified'],
  [/\b[sS]tandIns?\b|stand-ins\b/, 'suppression, redistribution'],
  [
    /\bmostTold\b|\bmostTelling\b|\bisTelling\b|\btoldAbout\b|\btoldBeyondChance\b|\btoldOfRows\b/,
    'informative, queried',
  ],
  [/\bscoreTies\b|\bbringTies\b|\bfitTies\b/, 'correlation'],
  [/\b(?:fit|save)Link\b|\blinkSchema\b|\bChainLink\b|\bLinkDraw\b/, 'conditional model'],
  [/\b(?:placeAtRank|placeColumn|spreadPlaces|rakePlaces)\b|\bLeafPlaces\b/, 'u, row'],
  [/\b(?:is|MAX_|IN_)[Hh](?:eap|EAP)\b|\bheapRows\b|\ban? heap\b(?! of| size)/, 'atom'],
  [/\bhideGaps\b|\bsameGaps\b|\bgapOf\b|\bgapSchema\b/, 'missing'],
  [/\btells (?:most|nothing)\b|\bMAX_TIES\b/, 'informative, correlated'],
  [/\b(?:const|let) (?:told|telling)\b|\btold\(|\btoldOf\b|\bToldProblem\b/, 'informative, parents, received'],
  [/\bhashedWords\b|\blearnAgreement\b|\bnearestRows\b/, 'hashWords, fitAgreement, nearestNeighbours'],
  [/\bgapRule|\bGapRule\b|\b(?:shared|with|own|has)Gaps\b|\bgapRelations\b/, 'missingness'],
  [/\b(?:Pool|Predictor)Place\b|\bplacePredictors\b|\bsetPlace\b/, 'layout, column'],
  [/\b(?:const|let) learnt\b|\blearnt: (?:readonly|ModelTable|number|Sample)|\blearntV|\bLEARNT_/, 'training, fitted'],
  [/\blearnBend\b|\bbendAt\b|\bBend\b/, 'spline basis'],
  [
    /\blearnt\b|\bkept apart\b|\b[Hh]anded out\b|\b(?:drawn|made|written) anew\b/,
    'fitted, held out, released, redrawn',
  ],
  [/\binteriorHeaps\b|\bheapWords\b|\btells(?:Rows|Position)\b|\bTELLING\b/, 'atom, identifying, sensitive'],
  [
    /\blearn[A-Z]|\w(?:ToLearn|BeLearnt)\b|\blearningRows\b|\bFormatLearner\b|\blearnt_from/,
    'fit, infer, train, adapt',
  ],
];

/** Phrases that users no longer read. */
const PHRASES: readonly RegExp[] = [
  /hand (?:the table|it) out unseen/,
  /not to be had/,
  /Start the making of/,
  /learnt from/,
  /guesses at single persons/,
  /stands there once/,
  /bits? a character/,
  /\bkept apart\b/,
  /\b[yY]ardstick/,
  /lozenge/,
  /let levels come out/,
  /Tick all|Give it\b|Back to the suggestions/,
  /best left out of the request/,
  /has to be mended first/,
  /This is no list of conditions/,
  /one is chosen and told/,
  /Passes over texts|Nucleus of texts|Address to call at the end/,
  /All that it has said|Waiting for a free place/,
  /but for rounding|rows? looked at\b/,
  /\b(?:drawn|made|written) anew\b/,
  /stands? in (?:their|its) place|\bstands? in row/,
  /lists what there is/,
  /where left out/,
  /told from (?:real|the other)/,
  /cannot be had|can be had|\bto be had\b/,
  /\bfor want of\b/,
  /are no numbers|holds identifiers/,
  /as they came\b/,
  /no cell tells|was taken for (?:missing|a missing)/,
  /\bcategory columns?\b/,
  /kept from the models/,
  /does not hold: the receipt|speaks of\b/,
  /releases the rows all the same/,
  /gives? (?:them|the rows) out\b/,
  /which is no column|explain by the others|those there are\b|settings that cannot be\b/,
  /\bgenerated anew\b|[sS]tarts? the making|is not a mark\b|by hand of\b/,
];

/** Phrases are looked for in what people read: comments speak to those who know the code. */
const isComment = (line: string): boolean => /^\s*(?:\/\*|\*|\/\/)/.test(line);

export function findWords(path: string, text: string): Finding[] {
  const names = path.endsWith('.md') ? [] : NAMES;
  return text.split('\n').flatMap((line, at): Finding[] => {
    const replaced = names.filter(([old]) => old.test(line)).map(([, word]) => `a word that was replaced by: ${word}`);
    const said = isComment(line) ? [] : PHRASES.filter((phrase) => phrase.test(line));
    const problems = [...replaced, ...said.map((phrase) => `a phrase that users no longer read: ${phrase.source}`)];
    return problems.map((problem) => ({ line: at + 1, text: line.trim(), problem }));
  });
}

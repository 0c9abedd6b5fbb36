/** Two things that no rule of biome finds: literal spreads, and bare booleans in calls of the project's own functions. */
import ts from 'typescript';

export interface Finding {
  line: number;
  text: string;
  problem: string;
}

export const parseSource = (path: string, text: string): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);

/** Methods of what the language brings: a boolean is an element of theirs. */
const BUILT_IN: ReadonlySet<string> = new Set(
  [Array, Int8Array, DataView, Map, Set, WeakMap, Promise, String, RegExp, Function]
    .flatMap((own) => [own.prototype, Object.getPrototypeOf(own.prototype)])
    .concat(Array, Object, Promise, JSON, Reflect)
    .flatMap((holder) => Object.getOwnPropertyNames(holder)),
);

/** Names of the methods that a file declares, in classes, interfaces and objects. */
export function methodsOf(file: ts.SourceFile): Set<string> {
  const found = new Set<string>();
  each(file, (node) => {
    if (isMethod(node) && node.name && ts.isIdentifier(node.name)) found.add(node.name.text);
  });
  return found;
}

const isMethod = (node: ts.Node): node is ts.NamedDeclaration =>
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ((ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) &&
    node.type !== undefined &&
    ts.isFunctionTypeNode(node.type)) ||
  (ts.isPropertyAssignment(node) && isFunction(node.initializer));

const isFunction = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** @param methods those that the project declares, of all files. */
export function findStyle(file: ts.SourceFile, methods: ReadonlySet<string>): Finding[] {
  const foreign = foreignNames(file);
  const found: Finding[] = [];
  each(file, (node) => {
    const problem = isLiteralSpread(node)
      ? 'a spread of a literal: write its members out'
      : isBareBoolean(node, foreign, methods)
        ? 'a bare boolean: name it in an object of options, or make two functions'
        : undefined;
    if (problem === undefined) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push({ line: line + 1, text: node.getText(file).replace(/\s+/g, ' '), problem });
  });
  return found;
}

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

function isLiteralSpread(node: ts.Node): boolean {
  if (ts.isSpreadElement(node)) return ts.isArrayLiteralExpression(bare(node.expression));
  return (
    (ts.isSpreadAssignment(node) || ts.isJsxSpreadAttribute(node)) &&
    ts.isObjectLiteralExpression(bare(node.expression))
  );
}

/** Without parentheses and types. */
function bare(node: ts.Expression): ts.Expression {
  const isWrapped = ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node);
  return isWrapped ? bare(node.expression) : node;
}

const isBoolean = ({ kind }: ts.Node): boolean =>
  kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

function isBareBoolean(node: ts.Node, foreign: ReadonlySet<string>, methods: ReadonlySet<string>): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  return node.arguments?.some(isBoolean) === true && isOwn(node.expression, foreign, methods);
}

function isOwn(callee: ts.Expression, foreign: ReadonlySet<string>, methods: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(callee)) return !foreign.has(callee.text);
  if (!ts.isPropertyAccessExpression(callee)) return true;
  const { expression, name } = callee;
  if (expression.kind === ts.SyntaxKind.ThisKeyword) return true;
  return methods.has(name.text) && !BUILT_IN.has(name.text) && !foreign.has(rootOf(expression));
}

/** The name at which a chain of members and calls begins. */
function rootOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  const isLink = ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isElementAccessExpression(node);
  return isLink ? rootOf(node.expression) : '';
}

/** Those of the language, and TensorFlow.js, which engines are given. */
const GLOBAL = ['Boolean', 'String', 'Number', 'structuredClone', 'tf'];

/** Names that are imported from packages, that settle a promise, or that set a state. */
function foreignNames(file: ts.SourceFile): Set<string> {
  const found = new Set(GLOBAL);
  const addNames = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) found.add(name.text);
    else for (const element of name.elements) if (!ts.isOmittedExpression(element)) addNames(element.name);
  };
  each(file, (node) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      if (node.moduleSpecifier.text.startsWith('.')) return;
      const { name, namedBindings } = node.importClause ?? {};
      if (name) found.add(name.text);
      if (namedBindings && ts.isNamespaceImport(namedBindings)) found.add(namedBindings.name.text);
      if (namedBindings && ts.isNamedImports(namedBindings)) {
        for (const element of namedBindings.elements) found.add(element.name.text);
      }
    }
    if (ts.isNewExpression(node) && node.expression.getText(file) === 'Promise') {
      const [executor] = node.arguments ?? [];
      if (executor && isFunction(executor)) for (const parameter of executor.parameters) addNames(parameter.name);
    }
    if (ts.isVariableDeclaration(node) && ts.isArrayBindingPattern(node.name)) {
      const from = node.initializer;
      if (from && ts.isCallExpression(from) && from.expression.getText(file) === 'useState') addNames(node.name);
    }
  });
  return found;
}

/** The reference is made of docstrings: what the three public entries name has one, and so has every method of it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from './support/imports.ts';

const ENTRIES = ['synthesis', 'client', 'numerics'];

const entryPath = (name: string): string => join(root, 'packages', name, 'index.ts');

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);

/** The names that a file exports from others, with those files; where it exports all of another, the names that that one does. */
function exportsOf(file: string): { name: string; path: string }[] {
  return parse(file).statements.flatMap((statement) => {
    const from = ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    if (!ts.isExportDeclaration(statement) || from === undefined || !ts.isStringLiteral(from)) return [];
    const path = join(dirname(file), from.text);
    const clause = statement.exportClause;
    if (clause === undefined) return exportsOf(path);
    return ts.isNamedExports(clause) ? clause.elements.map((element) => ({ name: element.name.text, path })) : [];
  });
}

type Declaration = ts.Node & { name?: ts.Node };

/** The statement's declarations, as far as they have names. */
function declarationsOf(statement: ts.Statement): Declaration[] {
  if (ts.isVariableStatement(statement)) return [...statement.declarationList.declarations];
  const named =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return named ? [statement] : [];
}

const isMethod = (node: ts.Node): boolean =>
  ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isGetAccessor(node);

/** Public methods of a class or an interface. */
function methodsOf(node: ts.Node): Declaration[] {
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
  const members: readonly (ts.ClassElement | ts.TypeElement)[] = node.members;
  return members.filter(
    (member) => isMethod(member) && member.name !== undefined && !ts.isPrivateIdentifier(member.name),
  );
}

const hasText = (node: ts.Node): boolean =>
  ts
    .getJSDocCommentsAndTags(node)
    .some((doc) => ts.isJSDoc(doc) && (ts.getTextOfJSDocComment(doc.comment) ?? '') !== '');

/** What of `name` in a file has no docstring; the name itself where the file has no such declaration. */
function undocumented(name: string, file: ts.SourceFile): string[] {
  const declared = file.statements.flatMap(declarationsOf).filter((node) => node.name?.getText() === name);
  if (declared.length === 0) return [`${name} (not declared)`];
  const own = declared.some(hasText) ? [] : [name];
  const methods = declared.flatMap(methodsOf).filter((method) => !hasText(method));
  return [...own, ...methods.map((method) => `${name}.${method.name?.getText()}`)];
}

describe('the reference', () => {
  it.each(ENTRIES)('has a docstring for all that %s exports', (entry) => {
    const exported = exportsOf(entryPath(entry));
    expect(exported.length).toBeGreaterThan(5);
    expect(exported.flatMap(({ name, path }) => undocumented(name, parse(path)))).toEqual([]);
  });

  it('sees a function, a class, a method and a type without one', () => {
    const source = `export function bare() {}
      export class Bare {
        /** Said. */
        told() {}
        silent() {}
        #hidden() {}
      }
      /** Said. */
      export const told = () => 1;
      export type Bared = string;`;
    const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true);
    const missing = ['bare', 'Bare', 'told', 'Bared', 'gone'].flatMap((name) => undocumented(name, file));
    expect(missing).toEqual(['bare', 'Bare', 'Bare.silent', 'Bared', 'gone (not declared)']);
  });

  it.each(ENTRIES)('has a heading for all that %s exports: else run npm run docs:reference', (entry) => {
    const page = readFileSync(join(root, 'docs', 'reference', `${entry}.md`), 'utf8');
    const headings = new Set(page.match(/^### .*$/gm)?.map((line) => /(\w+)(\(\))?$/.exec(line)?.[1]));
    expect(exportsOf(entryPath(entry)).filter(({ name }) => !headings.has(name))).toEqual([]);
  });
});

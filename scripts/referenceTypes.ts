/** Types of schemas have no name in the compiler, so TypeDoc would write them out at every use. */
import { type Application, type Context, Converter, type SomeType } from 'typedoc';
import ts from 'typescript';

function named(context: Context, node: ts.Node | undefined): SomeType | undefined {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
  const symbol = context.getSymbolAtLocation(node.typeName);
  if (symbol === undefined) return undefined;
  const typeArguments = node.typeArguments?.map((argument) => named(context, argument));
  if (typeArguments?.includes(undefined)) return undefined;
  const target = context.resolveAliasedSymbol(symbol);
  const reference = context.createSymbolReference(target, context, node.typeName.getText());
  if (typeArguments) reference.typeArguments = typeArguments.filter((argument) => argument !== undefined);
  return reference;
}

function rename(context: Context, reflection: { type?: SomeType }, node: ts.Node | undefined): void {
  if (node === undefined) return;
  if (
    !(ts.isFunctionLike(node) || ts.isParameter(node) || ts.isPropertySignature(node) || ts.isPropertyDeclaration(node))
  ) {
    return;
  }
  const type = named(context, node.type);
  if (type !== undefined) reflection.type = type;
}

export function load({ converter }: Application): void {
  converter.on(Converter.EVENT_CREATE_SIGNATURE, (context, signature, declaration) => {
    rename(context, signature, declaration);
    for (const [at, parameter] of (signature.parameters ?? []).entries()) {
      rename(context, parameter, declaration?.parameters[at]);
    }
  });
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const node = context.getSymbolFromReflection(reflection)?.valueDeclaration;
    if (node !== undefined && !ts.isFunctionLike(node)) rename(context, reflection, node);
  });
}

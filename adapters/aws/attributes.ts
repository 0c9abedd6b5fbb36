/** Attribute values of DynamoDB, from what they hold. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const texts = (values: readonly string[]): AttributeValue => ({ L: values.map(text) });
export const setOf = (value: string): AttributeValue => ({ SS: [value] });
export const nothing: AttributeValue = { NULL: true };

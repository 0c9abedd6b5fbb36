import { escaped } from './markup.ts';
import { cssText, styleOf } from './style.ts';

interface PageParts {
  title: string;
  /** HTML. */
  body: string;
  foot: string;
  /** Printed on the sheet to sign, which may be shared alone. */
  sheetFoot: string;
}

export const wholePage = ({ title, body, foot, sheetFoot }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${styleOf({ foot: cssText(foot), sheetFoot: cssText(sheetFoot) })}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

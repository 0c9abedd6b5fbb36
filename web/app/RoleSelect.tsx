import type { Role } from '../../packages/client/index.ts';
import { isRole, ROLE_WORDS } from '../logic/roles.ts';

interface Props {
  value: Role;
  /** Key values are replaced by new ones. */
  isKey?: boolean;
  label: string;
  onRole(role: Role): void;
}

export function RoleSelect({ value, isKey = false, label, onRole }: Props) {
  const choose = (chosen: string) => {
    if (isRole(chosen)) onRole(chosen);
  };
  return (
    <select value={value} aria-label={label} onChange={(event) => choose(event.currentTarget.value)}>
      {Object.entries(ROLE_WORDS).map(([role, words]) => (
        <option key={role} value={role}>
          {isKey && role === 'categorical' ? 'New IDs' : words}
        </option>
      ))}
    </select>
  );
}

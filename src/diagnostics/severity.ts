export type Severity = 'error' | 'warning' | 'note';

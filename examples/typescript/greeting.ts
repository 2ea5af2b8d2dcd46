const greetings = { de: 'Hallo', en: 'Hello', fr: 'Bonjour' } as const;

export type Language = keyof typeof greetings;

export function greet(name: string, language: Language = 'en'): string {
  return `${greetings[language]} ${name}!`;
}

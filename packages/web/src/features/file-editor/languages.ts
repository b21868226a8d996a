import { HighlightStyle, LanguageDescription, syntaxHighlighting } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

/** Kinds of files that game servers have and the list of languages does not know, or takes for something rare. */
const others: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/\.(cfg|conf|cnf|lang|env|desktop|service|editorconfig|gitconfig)$|^\.env/i, 'Properties files'],
  [/\.(mcmeta|json5|jsonc|webmanifest)$/i, 'JSON'],
  [/\.(csproj|config|fxml|plist|xaml|resx)$/i, 'XML'],
  [/\.(sqf|hpp)$/i, 'C++'],
  [/^(\.bashrc|\.profile|\.bash_aliases|gradlew)$/i, 'Shell'],
]

/** The language of a file by its name; `undefined` for plain text. Each is loaded when it is first needed. */
export function languageOf(name: string): LanguageDescription | undefined {
  const [, language] = others.find(([pattern]) => pattern.test(name)) ?? []
  if (language !== undefined) return languages.find((one) => one.name === language)
  return LanguageDescription.matchFilename(languages, name) ?? undefined
}

const values = syntaxHighlighting(HighlightStyle.define([{ tag: tags.content, color: 'var(--ik-ansi-green)' }]))

/** Colours of a language beyond those of all: what YAML calls content are values, elsewhere it is running text. */
export function coloursOf({ name }: LanguageDescription): Extension {
  return name === 'YAML' ? values : []
}

import { Trans } from 'react-i18next'
import { CodeText } from '../text/code-text.tsx'

/** A label with the text to type in the font of code, so that each character can be told from similar ones. */
export function TypeToConfirm({ text }: { text: string }) {
  return <Trans i18nKey="common.TypeToConfirm" components={{ name: <CodeText>{text}</CodeText> }} />
}

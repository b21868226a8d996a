import { serverNameKey } from '@innkeeper/contract/text/names'

/** The length of the column. */
const sortKeyMax = 255

/** The name of a server with its keys: for uniqueness and for sorting. */
export function nameColumns(name: string): { name: string; name_key: string; name_sort: string } {
  return { name, name_key: serverNameKey(name), name_sort: sortKey(name) }
}

/**
 * Names in the order of these keys are sorted as people sort them, without case and accents: the length of a number is
 * before its digits, so that `a5` is before `a15`.
 */
function sortKey(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const key = plain.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return `${String(number.length).padStart(3, '0')}${number}`
  })
  return [...key].slice(0, sortKeyMax).join('')
}

/** The items of a list written as text, one behind the other with commas between. Tables of names read better so. */
export function listed(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

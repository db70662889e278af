/** The tags of a format that writes one element for each call and one for each parameter. */
export interface XmlTags {
  /** Tags that open the block, as spellings; the block may be left open, and left out where the call's own tag is an opener too. */
  readonly outer: readonly string[];
  readonly outerClosers: readonly string[];
  /** Markers that may stand around each call inside the block. */
  readonly around?: readonly string[];
  /** Tags in front of the name, `<function=` or `<invoke name=`; the name ends with `>`, quotes around it are dropped. */
  readonly call: string;
  readonly callCloser: string;
  readonly parameter: string;
  readonly parameterCloser: string;
  /** True where an attribute `string="false"` marks a value as JSON, and any other value is text. */
  readonly typed?: boolean;
  /** True where other families share the outer tag, so that the tag alone says nothing. */
  readonly shared?: boolean;
}

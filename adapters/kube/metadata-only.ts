/** `accept` of a request whose answer needs no more than metadata; plain JSON from servers that know no such form. */
export const metadataOnly = accepting('PartialObjectMetadata');
/** The same of a list. */
export const metadataListOnly = accepting('PartialObjectMetadataList');

function accepting(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}

import {flag, free, list, named, type SchemaNode, text, texts, word} from './schema.js';

const keyValue: SchemaNode = named('RequestData', 'One field of a request body.', {
  key: text('Name of the field.'),
  value: free('Value, may hold variables.'),
});

const header: SchemaNode = named('HttpHeader', 'One HTTP header.', {
  key: text('Name of the header.'),
  value: text('Value, may hold variables.'),
});

export const serviceCall: SchemaNode = named('ServiceCall', 'An HTTP service outside of the API server.', {
  url: text('Address, may hold variables.'),
  headers: list('Headers to send.', header),
  caBundle: text('PEM certificates to trust.'),
});

export const requestData: SchemaNode = list('Fields of the body of a POST.', keyValue);
export const requestMethod: SchemaNode = word('HTTP method, GET when unset.', ['GET', 'POST']);

export const registryCredentials: SchemaNode = named('RegistryCredentials', 'How to log in to image registries.', {
  allowInsecureRegistry: flag('Allow registries without a trusted certificate.'),
  providers: texts('Credential helpers: default, amazon, azure, google, github.'),
  secrets: texts('Pull secrets, as name or namespace/name.'),
});

const contextEntry: SchemaNode = named('ContextEntry', 'A named value; loaded when an expression first asks for it.', {
  name: text('Name under which expressions find the value.'),
  variable: named('ContextVariable', 'A value or an expression over other values.', {
    value: free('Value as is, may hold variables.'),
    jmesPath: text('JMESPath over the context, or over value when that is given.'),
    default: free('Value when the expression finds nothing.'),
  }),
  configMap: named('ConfigMapReference', 'Data of a ConfigMap.', {
    name: text('Name, may hold variables.'),
    namespace: text('Namespace, may hold variables.'),
  }),
  apiCall: named('ContextApiCall', 'Answer of the API server or of a service.', {
    urlPath: text('Path at the API server, may hold variables.'),
    method: requestMethod,
    data: requestData,
    service: serviceCall,
    jmesPath: text('JMESPath over the answer.'),
    default: free('Value when the call fails.'),
  }),
  imageRegistry: named('ImageRegistryReference', 'Manifest and configuration of an image.', {
    reference: text('Image, may hold variables.'),
    jmesPath: text('JMESPath over the image data.'),
    imageRegistryCredentials: registryCredentials,
  }),
  globalReference: named('GlobalReference', 'Value of a GlobalContextEntry.', {
    name: text('Name of the entry.'),
    jmesPath: text('JMESPath over the value.'),
  }),
});

export const context: SchemaNode = list('Named values for expressions, in order.', contextEntry);

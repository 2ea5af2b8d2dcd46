/** Longest inline source or single file, in characters; etcd refuses objects above 1.5 MiB. */
export const sourceCharactersMax = 1_572_864;

/** Files of one Function; more belong into a package. */
export const filesMax = 512;

/** Archive within a Function, in base64; as long as an inline source. */
export const archiveDataCharactersMax = 1_572_864;

/** As browsers and servers have it. */
export const sourceUrlCharactersMax = 2_048;

/** Git itself allows what a file name may be; a longer name is a mistake. */
export const gitReferenceCharactersMax = 255;

/** As paths of files. */
export const sourceDirectoryCharactersMax = 512;

/** Text of a package.json. */
export const dependenciesCharactersMax = 262_144;

/** Environment variables named one by one. */
export const envMax = 256;

/** Secrets and ConfigMaps taken as a whole. */
export const envFromMax = 32;

/** One environment variable; the kernel refuses more than 128 KiB per string (MAX_ARG_STRLEN). */
export const envValueCharactersMax = 131_072;

/** Secrets and ConfigMaps as directories; each is a bind mount of every Instance. */
export const mountsMax = 16;

/** Keys of one Secret or ConfigMap that become files one by one. */
export const mountItemsMax = 32;

/** Labels or annotations for Pods. */
export const podLabelsMax = 64;

/** Labels, tolerations, aliases and groups that the Pods of one Function have besides. */
export const podSettingsMax = 64;

/** Instances of one Function. */
export const instancesMax = 1000;

/** Name of a runtime, or of an alias: a DNS label, as names of objects are. */
export const runtimeCharactersMax = 63;

/** Words of the command of a runtime. */
export const runtimeCommandMax = 64;

/** Other names of a runtime, or endings of its files. */
export const runtimeAliasesMax = 64;

/** Longest name of a Function: with an eleven character suffix it must fit into a label value. */
export const functionNameCharactersMax = 52;

/** Hosts of one Trigger; each is a place of its own in the Gateway's table. */
export const routeHostsMax = 16;

/** Paths of one Trigger, each of them for each host. */
export const routePathsMax = 16;

/** Text of a path; the Gateway takes targets of up to 8 KiB. */
export const routePathCharactersMax = 512;

/** Things that one Function scales by; each is measured at every look. */
export const scaleMetricsMax = 8;

/** Times of the week at which a Function has a minimum of its own. */
export const scheduledMinimumsMax = 16;

/** Names, cron texts and time zones of scaling: none is longer than a DNS name's label. */
export const scaleNameCharactersMax = 63;

/** Addresses and CIDR blocks that may, or may not, call a route. */
export const addressRangesMax = 256;

/** Rate limits of one route: a request is counted for each. */
export const rateLimitsMax = 8;

/** Ways to prove who one is to one route: a request without credentials goes through all of them. */
export const authMethodsMax = 8;

/** Scopes, audiences, claims of one of these ways. */
export const authNamesMax = 32;

/** Origins, methods or headers of one route for pages of other origins. */
export const corsItemsMax = 64;

/** As browsers and servers have it. */
export const urlCharactersMax = 2_048;

/** Revisions that share the calls of one Function, or have a tag. */
export const trafficMax = 16;

/** Name of a Revision: that of its Function with an eleven character suffix. */
export const revisionNameCharactersMax = 63;

/** Text of a schedule: six fields with long lists. */
export const cronScheduleCharactersMax = 253;

/** The longest name of a time zone has 32. */
export const timeZoneCharactersMax = 63;

/** Filters of one list: each is asked for every event. */
export const eventFiltersMax = 16;

/** Attributes that one filter looks at. */
export const eventFilterAttributesMax = 16;

/** A part of an attribute, whose bound is 8 192 with all others. */
export const eventFilterValueCharactersMax = 1_024;

/** A CESQL expression. */
export const eventFilterCharactersMax = 4_096;

/** Tries of one event after the first: doubling waits come to years before. */
export const eventRetriesMax = 100;

/** Events in one request; each may be as large as an event may be. */
export const eventBatchMax = 1_000;

/** Requests of one Trigger at once: as many Instances as its target has at most. */
export const deliveriesAtOnceMax = 1_000;

/** More than this a second is as good as no bound. */
export const deliveriesPerSecondMax = 1_000_000;

/** Name of a Broker: with `-broker` behind it, it is a DNS label. */
export const brokerNameCharactersMax = 52;

/** Addresses of one cluster of NATS; a client learns the others from one. */
export const natsServersMax = 16;

/** Subjects and names of NATS: longer ones are slow there. */
export const natsSubjectCharactersMax = 255;

/** One attribute of an event, of the 8 192 characters that all of them may have. */
export const eventAttributeCharactersMax = 1_024;

/** Namespaces of one source; more are better said by *. */
export const sourceNamespacesMax = 64;

/** A selector: as long as a query can be. */
export const selectorCharactersMax = 2_048;

/** A CEL expression of a user's: longer than any that people write. */
export const celExpressionCharactersMax = 4_096;

/** Brokers to begin with; a client learns the others from one. */
export const kafkaServersMax = 16;

/** Topics of one Trigger; each has partitions that are fetched together. */
export const kafkaTopicsMax = 64;

/** Names of topics and groups: the bound of Kafka. */
export const kafkaNameCharactersMax = 249;

/** Kinds that one Operator owns, or watches; each is a watch. */
export const operatorKindsMax = 32;

/** Namespaces of one Operator: each is a watch of each kind. More are better said by a selector. */
export const operatorNamespacesMax = 64;

/** Definitions that come with one Operator: they are kept within its object. */
export const operatorDefinitionsMax = 16;

/** Objects of one Operator that are run at once: as many Instances as a Function has at most. */
export const operatorConcurrencyMax = 1_000;

/** Failed runs in a row: doubling delays come to the longest after 18. */
export const operatorAttemptsMax = 10_000;

/** Paths of fields that are kept of one kind. */
export const keptFieldsMax = 64;

/** One such path. */
export const keptFieldCharactersMax = 512;

/** Statements in one list of an Operator's when: each is asked for every change. */
export const predicatesMax = 16;

/** Names of streams: the bound of Kinesis. */
export const kinesisNameCharactersMax = 128;

/** Containers of the Pod of a source: more than anybody has. */
export const sourceContainersMax = 16;

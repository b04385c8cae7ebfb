export { type ActiveTool, type AgentActivity, createActivity } from "./activity.js";
export { listen } from "./listen.js";
export {
	type Compaction,
	type RecordObserverOptions,
	subscribeRecordObserver,
} from "./record-observer.js";
export { subscribeUIObserver } from "./ui-observer.js";

/** What has become of a page. */
public class PageStatus {
  public String text;
  public Integer readyReplicas;
}
